"""What a session did to find its way, step by step: what it looked for, looked into and changed.
Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from loremap.clients.payloads.tools import operation_of
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.shell_steps import commands_in, reads, searches
from loremap.model.tokens import tokens
from loremap.model.turn import Speaker, Turn

_PATH = re.compile(r"[\w./@+-]+")
CHANGES = frozenset({Operation.EDIT, Operation.WRITE})
Named = Callable[[str], str]
"""A path as the project names it."""


class Way(StrEnum):
    """How a step gets on."""

    LOOKS_FOR = "looks for"
    """It searches or lists many files."""
    LOOKS_INTO = "looks into"
    """It reads files that it names, or searches in them."""
    CHANGES = "changes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a session that looks for files, into them, or changes them."""

    turn: int
    way: Way
    files: tuple[str, ...] = ()
    """What it looks into or changes."""
    folder: str = ""
    """Where it looks, if it says so."""
    result: str = ""
    made: tuple[str, ...] = ()
    """Of its files those that it writes as a whole."""

    @property
    def discovers(self) -> bool:
        """Whether it is there to find something out."""
        return self.way is not Way.CHANGES

    @property
    def tokens(self) -> int:
        """About what its result takes of a context."""
        return tokens(self.result)

    def tells_of(self, paths: Collection[str]) -> set[str]:
        """Which of these files its result names: by their path, or by their name where it lists
        the folder that they lie in."""
        folder = str(PurePosixPath(self.folder)) + "/" if self.folder else "/"
        listed = {
            path.removeprefix(folder): path
            for path in paths
            if path.startswith(folder) and "/" not in path[len(folder) :]
        }
        by_name = {listed[name] for name in paths_in(self.result, listed)}
        return by_name | paths_in(self.result, paths)


def paths_in(text: str, paths: Collection[str]) -> set[str]:
    """Which of these files a text names by their whole path, however that begins."""
    wanted = frozenset(paths)
    found: set[str] = set()
    for said in dict.fromkeys(_PATH.findall(text)):
        path = said.rstrip(".")
        while path:
            if path in wanted:
                found.add(path)
            path = path.partition("/")[2]
    odd = (path for path in wanted if not _PATH.fullmatch(path))
    return found.union(path for path in odd if path in text)


def steps_of(turns: Sequence[Turn], named: Named) -> list[Step]:
    """What a session did to find its way; what came to nothing by its own fault is in it, but a
    change that failed is none."""
    return [
        step
        for turn in turns
        if turn.speaker is Speaker.TOOL and turn.call is not None and not turn.in_subagent
        if (step := _step(turn.number, turn.call, named)) is not None
    ]


def _step(turn: int, call: ToolCall, named: Named) -> Step | None:
    changed = [use for use in call.files if use.operation in CHANGES]
    in_place = tuple(_edited_in_place(call.command or ""))
    if changed or in_place:
        if call.success is False:
            return None
        paths = (*(use.path for use in changed), *in_place)
        made = (use.path for use in changed if use.operation is Operation.WRITE)
        files = tuple(map(named, paths))
        return Step(turn=turn, way=Way.CHANGES, files=files, made=tuple(map(named, made)))
    result = call.result or call.error
    files = tuple(named(use.path) for use in call.files if _is_file(use))
    if files and (call.command is None or _only_looks(call.command)):
        return Step(turn=turn, way=Way.LOOKS_INTO, files=files, result=result)
    if not _searches(call):
        return None
    folder = next((use.path for use in call.files), "") or _listed(call.command or "")
    return Step(turn=turn, way=Way.LOOKS_FOR, folder=named(folder or "."), result=result)


def _is_file(use: FileUse) -> bool:
    """Whether a path is that of a file, and not of a folder that is searched."""
    return use.operation is not Operation.SEARCH or bool(PurePosixPath(use.path).suffix)


def _searches(call: ToolCall) -> bool:
    if call.command is not None:
        return searches(call.command) and _only_looks(call.command)
    is_search = operation_of(call.name) is Operation.SEARCH
    return is_search or any(use.operation is Operation.SEARCH for use in call.files)


def _only_looks(command: str) -> bool:
    """Whether a command line does nothing but look for files or into them."""
    return all(
        words[0] in ("cd", "pwd") or searches(" ".join(words)) or reads(" ".join(words))
        for words in commands_in(command)
    )


def _listed(command: str) -> str:
    """The folder that a command line lists or searches, if it names one."""
    for words in commands_in(command):
        if words[0] in ("ls", "tree", "find"):
            return next((word for word in words[1:] if not word.startswith("-")), "")
    return ""


def _edited_in_place(command: str) -> Iterator[str]:
    """The files that `sed` changes."""
    for words in commands_in(command):
        if words[0] == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
            yield from reads(" ".join(words))
