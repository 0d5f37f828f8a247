"""Recorded runs of SWE-agent as sessions: the issue as what was typed, then thoughts and calls."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any

from loremap.clients.payloads.tools import called
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Speaker, Turn

COMMIT = "585d3e63"
FOLDER = "results/swe-agent-results"
RUNS = ("cost_2_1", "cost_2_2", "cost_2_3")
"""Each task was run three times; the first that is there is taken."""
STEP = timedelta(seconds=20)
"""The runs hold no times."""
_FAILED = re.compile(
    r"Your proposed edit has introduced new syntax error|^/bin/bash: |^Traceback \(most recent"
    r"|^(?:File|Error:|usage:).*(?:not found|not exist|Error)|command not found"
    r"|EXECUTION TIMED OUT",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Task:
    """An issue, and what its fix changed."""

    name: str
    repository: str
    commit: str
    at: datetime
    text: str
    gold: tuple[str, ...]


def tasks(file: Path) -> list[Task]:
    """The issues, the oldest first."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    found = [
        Task(
            name=row["instance_id"],
            repository=row["repo"],
            commit=row["base_commit"],
            at=datetime.fromisoformat(row["created_at"]),
            text=row["problem_statement"].replace("\r\n", "\n"),
            gold=tuple(row["gold_files"]),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.at, one.name))


class Trajectories:
    """The runs in a clone of the repository that holds them."""

    def __init__(self, clone: Path) -> None:
        self._clone = clone
        self._there = set(self._git("ls-tree", "-r", "--name-only", COMMIT, FOLDER).split("\n"))

    def turns(self, task: Task) -> list[Turn] | None:
        """The turns of the first run of a task; None where there is none."""
        for run in RUNS:
            path = f"{FOLDER}/{run}/{task.name}.traj"
            if path in self._there:
                return list(turns_of(json.loads(self._git("show", f"{COMMIT}:{path}")), task))
        return None

    def _git(self, *arguments: str) -> str:
        git = ("git", "--git-dir", str(self._clone), *arguments)
        return subprocess.run(git, capture_output=True, check=True, text=True).stdout


def turns_of(run: dict[str, Any], task: Task) -> Iterator[Turn]:
    """What a run tells: what the agent thought, what it called, what came back."""
    yield Turn(number=0, speaker=Speaker.PERSON, text=task.text, at=task.at)
    number = 1
    for step in run["trajectory"]:
        at = task.at + number * STEP
        thought = (step.get("thought") or "").strip()
        if thought:
            yield Turn(number=number, speaker=Speaker.AGENT, text=thought, at=at)
            number += 1
        call = call_of(step)
        if call is not None:
            yield Turn(number=number, speaker=Speaker.TOOL, call=call, at=at)
            number += 1


def call_of(step: dict[str, Any]) -> ToolCall | None:
    """A command of SWE-agent as the call of a tool, with what came of it."""
    action, result = step["action"].strip(), step["observation"] or ""
    words = action.split("\n")[0].split()
    if not words or words[0] == "submit":
        return None
    place = _Place.of(step.get("state"))
    made = _OWN.get(words[0], _shell)(action, words, place)
    success = not _FAILED.search(result)
    return ToolCall(
        name=made.name,
        command=made.command,
        files=made.files,
        text=made.text,
        result=result,
        success=success,
        error="" if success else result[:500],
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the agent stands before a command."""

    folder: str
    open_file: str

    @staticmethod
    def of(state: str | None) -> _Place:
        told = json.loads(state) if state else {}
        return _Place(told.get("working_dir", "/repo"), told.get("open_file", ""))

    def named(self, path: str) -> str:
        """A path from the root of the repository."""
        whole = PurePosixPath(self.folder, path.strip("\"'"))
        parts = whole.parts[2:]  # the root, and the folder of the repository in it
        return str(PurePosixPath(*parts)) if parts else "."

    @property
    def opened(self) -> str:
        return self.named(self.open_file)


def _uses(name: str, operation: Operation, path: str, text: str | None = None) -> ToolCall:
    return ToolCall(name=name, files=(FileUse(path=path, operation=operation),), text=text)


def _open(_: str, words: list[str], place: _Place) -> ToolCall:
    path = place.named(words[1]) if len(words) > 1 else place.opened
    return _uses("open", Operation.READ, path)


def _move(_: str, words: list[str], place: _Place) -> ToolCall:
    return _uses(words[0], Operation.READ, place.opened)


def _search_all(action: str, words: list[str], place: _Place) -> ToolCall:
    """`search_dir TERM [FOLDER]` and `find_file NAME [FOLDER]`."""
    folder = _behind_term(action, words[0])
    return _uses(words[0], Operation.SEARCH, place.named(folder) if folder else ".")


def _search_one(action: str, words: list[str], place: _Place) -> ToolCall:
    file = _behind_term(action, words[0])
    return _uses(words[0], Operation.SEARCH, place.named(file) if file else place.opened)


def _behind_term(action: str, name: str) -> str:
    """What stands behind the term that is searched for, which may be quoted."""
    rest = action.split("\n")[0].removeprefix(name).strip()
    found = re.match(r"\"[^\"]*\"|'[^']*'|\S+", rest)
    return rest[found.end() :].strip() if found is not None else ""


def _edit(action: str, words: list[str], place: _Place) -> ToolCall:
    text = action.partition("\n")[2].removesuffix("end_of_edit").strip("\n")
    return _uses("edit", Operation.EDIT, place.opened, text)


def _create(_: str, words: list[str], place: _Place) -> ToolCall:
    return _uses("create", Operation.WRITE, place.named(words[1] if len(words) > 1 else "new"))


def _shell(action: str, _: list[str], place: _Place) -> ToolCall:
    inside = place.named(".")
    return called("bash", {"command": action} | ({"cwd": inside} if inside != "." else {}))


_OWN = {
    "open": _open,
    "goto": _move,
    "scroll_down": _move,
    "scroll_up": _move,
    "search_dir": _search_all,
    "find_file": _search_all,
    "search_file": _search_one,
    "edit": _edit,
    "create": _create,
}
