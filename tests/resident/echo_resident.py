"""A resident whose core only says what it was given: for tests of the edge alone."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from loremap.interfaces.hooks.answered import Answer
from loremap.interfaces.resident.life import LivingCore, live
from loremap.interfaces.resident.places import (
    ResidentState,
    RunFolder,
    ensure_private_run,
    run_folder,
)
from loremap.interfaces.resident.requests import Request


class Echo(LivingCore):
    """Answers a hook with its payload, and an MCP line with itself."""

    def __init__(self, run: RunFolder) -> None:
        self._record = run.home / "recorded"

    @property
    def is_ready(self) -> bool:
        """At once."""
        return True

    def answer(self, request: Request) -> Answer:
        """What was said, after the time it asks for."""
        if request.payload.startswith(b"sleep "):
            time.sleep(float(request.payload[6:]))
        with self._record.open("ab") as file:
            file.write(request.payload[:100] + b"\n")
        told = "".join(f"{name}={value}\n" for name, value in sorted(request.env.items()))
        size = str(len(request.payload))
        return Answer(f"{request.client} {request.name} {size}\n{told}".encode(), self._lost)

    def _lost(self) -> None:
        with self._record.open("ab") as file:
            file.write(b"lost\n")

    def record(self, request: Request, payloads: Sequence[bytes]) -> int:
        """Keep the payloads."""
        with self._record.open("ab") as file:
            file.write(b"".join(payload + b"\n" for payload in payloads))
        return len(payloads)

    async def mcp(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Say each line again, with the process that did."""
        reader._limit = 1 << 24  # type: ignore[attr-defined]  # lines of any length are tested
        while line := await reader.readline():
            told = json.loads(line)
            if "id" in told:
                answer = {"id": told["id"], "pid": os.getpid(), "said": told.get("params")}
                writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()

    def described(self, state: ResidentState) -> ResidentState:
        """Nothing more is known."""
        return state

    def reload(self) -> None:
        """There are no settings."""

    def idle_s(self) -> float:
        """As the test says."""
        return float(os.environ.get("LOREMAP_IDLE_SECONDS", "60"))


if __name__ == "__main__":
    ensure_private_run(run_folder(Path(sys.argv[1])))
    sys.exit(live(Path(sys.argv[1]), Echo))
