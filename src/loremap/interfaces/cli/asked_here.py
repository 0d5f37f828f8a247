"""Where the resident runs a command for another process, as that process would have run it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from loremap.app import Lore
from loremap.config.folders import folders, key_folder
from loremap.interfaces.cli import present, thin  # noqa: F401  loaded before it is asked
from loremap.interfaces.cli.app import ended
from loremap.interfaces.cli.shell import ASKER, Asker, AskThere, Place, console_on
from loremap.interfaces.hooks import client
from loremap.interfaces.resident.requests import Request
from loremap.memory.workspaces import Workspaces
from loremap.memory.writing import flush_recalls

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

DUMB = ("dumb", "unknown")


@dataclass(frozen=True, slots=True)
class Call:
    """A command, and the process that wants it run."""

    arguments: tuple[str, ...]
    folder: Path
    env: Mapping[str, str]
    ttys: str
    """Of standard input, output and error: 1 for a terminal."""
    columns: int
    lines: int
    alike: str

    @classmethod
    def of(cls, request: Request) -> Self:
        """The call that a request makes."""
        text = request.payload.decode("utf-8", "surrogateescape")
        terminal, alike, *arguments = text.split("\0")
        ttys, columns, lines = terminal.split(" ")
        return cls(
            tuple(arguments), Path(request.cwd), request.env, ttys, int(columns), int(lines), alike
        )

    @property
    def is_person(self) -> bool:
        """As `shell.interactive` sees it there."""
        return self.ttys.startswith("11") and "CI" not in self.env

    def environment(self) -> dict[str, str]:
        """What rich goes by there. It would ask its own terminal for the size."""
        env = dict(self.env)
        dumb = env.get("TERM", "").lower() in DUMB and env.get("TTY_COMPATIBLE") != "1"
        if self.columns and self.lines and not dumb:
            env = {"COLUMNS": str(self.columns), "LINES": str(self.lines)} | env
        return env

    def standing(self) -> dict[str, str]:
        """The folder, session and agent where the command names none."""
        named = {name: self.env.get(f"LOREMAP_{name.upper()}", "") for name in ("session", "agent")}
        return {"folder": str(self.folder)} | {name: each for name, each in named.items() if each}


def told(request: Request, workspaces: Workspaces[Lore]) -> bytes | None:
    """What the command prints and how it ends, packed; None where its process must run it."""
    call = Call.of(request)
    if thin.command_of(call.arguments) not in thin.COMMANDS or not _is_alike(call):
        return None
    said: list[tuple[int, bytes]] = []
    out, err = (
        io.TextIOWrapper(
            _Stream(said, number, is_terminal=call.ttys[number] == "1"),
            "utf-8", errors="replace", write_through=True,
        )
        for number in (1, 2)
    )  # fmt: skip
    asker = Asker(
        folder=call.folder,
        out=out,
        err=err,
        console=console_on(out, is_terminal=out.isatty(), env=call.environment()),
        is_person=call.is_person,
        lore=lambda place: _seen(workspaces, place),
    )
    before = ASKER.set(asker)
    then: tuple[str, ...] = ()
    try:
        code = ended(call.arguments, call.standing())
    except SystemExit as end:
        code = int(end.code or 0)
    except AskThere as rest:
        if not rest.then:
            return None
        code, then = 0, rest.then
    finally:
        ASKER.reset(before)
    return thin.packed(code, then, said)


def _is_alike(call: Call) -> bool:
    """Whether the other process would use the same folders, keys and clock."""
    theirs = {name: value for name, value in os.environ.items() if name not in thin.SHOWN}
    theirs |= call.env
    return (
        call.alike == thin.alike(client.variables())
        and folders(theirs) == folders()
        and key_folder(theirs) == key_folder()
    )


@contextmanager
def _seen(workspaces: Workspaces[Lore], place: Place) -> Iterator[Lore]:
    """The memory from there; what was used is counted at the end, as by a process of its own."""
    with workspaces.at(
        place.folder, session_id=place.session_id, agent=place.agent, watched=False
    ) as lore:
        lore.notes = []
        try:
            yield lore
        finally:
            flush_recalls(lore)


class _Stream(io.BytesIO):
    """Keeps what is written, in the order in which the streams of a command were written to."""

    def __init__(self, said: list[tuple[int, bytes]], number: int, *, is_terminal: bool) -> None:
        super().__init__()
        self._said, self._number, self._is_terminal = said, number, is_terminal

    def isatty(self) -> bool:
        """As the stream it stands for."""
        return self._is_terminal

    def write(self, data: Buffer, /) -> int:
        """Keep it."""
        kept = bytes(data)
        self._said.append((self._number, kept))
        return len(kept)
