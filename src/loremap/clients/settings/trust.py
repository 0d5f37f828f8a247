"""A client that runs a hook only if its user trusts it: what is asked of it, and where it notes
the trust."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from loremap.clients.settings.edits import Edit, Joined, TomlTables, refusals, text_of
from loremap.clients.settings.site import Site
from loremap.clients.settings.tables import with_table

WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Hook:
    """One of our hooks, by the client's own key and hash."""

    key: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How a client comes to trust our hooks."""

    why: str
    """What a person is told before being asked."""
    by_hand: str
    """What to do in the client itself."""
    untrusted: Callable[[Site], list[Hook] | None]
    """Our hooks that it would not run yet; None where it is not here or does not answer."""
    file: Callable[[Site], Path]
    """The TOML file in which it notes trust,"""
    table: tuple[str, ...]
    """in a table of this one for each key,"""
    name: str
    """under this name."""

    def given(self, before: bytes | None, site: Site, hooks: Sequence[Hook]) -> bytes:
        """The file with the trust in hooks."""
        file = self.file(site)
        text = text_of(file, before or b"")
        with refusals(file):
            for hook in hooks:
                text = with_table(text, (*self.table, hook.key), {self.name: hook.hash})
        return text.encode()

    def noted(self, edits: tuple[Edit, ...], site: Site, keys: Sequence[str]) -> tuple[Edit, ...]:
        """The edits, with the trust that was set in hooks to be taken out with them."""
        file = self.file(site)
        trust = TomlTables(file, tuple((*self.table, key) for key in keys))
        same = tuple(edit for edit in edits if edit.file == file)
        return (*(edit for edit in edits if edit not in same), Joined((trust, *same)))


def answer_of(
    command: Sequence[str], said: Sequence[Mapping[str, Any]], *, cwd: Path, env: Mapping[str, str]
) -> dict[str, Any] | None:
    """What a program that speaks JSON-RPC answers to the last of some messages; None where it does
    not."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        env=dict(env),
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as server:
        timer = threading.Timer(WAIT_S, server.kill)
        timer.start()
        try:
            assert server.stdin is not None  # both were asked for above
            assert server.stdout is not None
            answer = _conversed(server.stdin, server.stdout, said)
            server.stdin.close()
            server.wait(WAIT_S)
            return answer
        except (BrokenPipeError, ValueError, subprocess.TimeoutExpired):
            return None
        finally:
            timer.cancel()
            server.kill()


def _conversed(
    to: IO[str], answers: IO[str], said: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    to.writelines(json.dumps(message) + "\n" for message in said)
    to.flush()
    for line in answers:
        answer = json.loads(line)
        if answer.get("id") == said[-1]["id"]:
            result = answer.get("result")
            return result if isinstance(result, dict) else None
    return None
