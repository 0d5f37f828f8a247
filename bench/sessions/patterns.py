"""What patterns of earlier sessions would have said in later ones, and how often that was right.

    python -m bench.sessions.patterns --data FOLDER [--runs CLONE] [--show] [--results FOLDER]

FOLDER holds `learning-dev.json`; with CLONE, a clone of the repository of recorded runs
(`bench.sessions.trajectories`), those are gone through instead, by `swebench-lite-dev.jsonl`. The
sessions of a project follow each other in time, in a store of their own. At every call of a tool it
is asked what there is to say, with what the sessions before it showed and nothing else; then the
session is kept as any other that is over. A line before a call was right where the session changes
or opens one of the files it names later; that edits of a file fail, where this one does; one with
an error, where the session changes a file of the fix or runs its command later. The files that a
session changes are there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.sessions.learning_fit import turns
from bench.sessions.results import add_option, write
from bench.sessions.trajectories import Trajectories, tasks
from loremap.app import lore as app
from loremap.memory.brief.render import Piece
from loremap.memory.workspace import Workspace
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation, ToolCall
from loremap.model.pattern import PatternType
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.patterns import telling
from loremap.sessions.patterns.edits import CHANGES
from loremap.sessions.patterns.keeping import keep_patterns
from loremap.storage import events, patterns, sessions

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One session of a project."""

    id: str
    project: str
    turns: Sequence[Turn]


def of_learning(file: Path) -> Iterator[Run]:
    """The sessions of the learning set, by time."""
    found: list[Json] = json.loads(file.read_text("utf-8"))
    for one in sorted(found, key=lambda each: str(each["started_at"])):
        yield Run(one["id"], one["project"], turns(one))


def of_recorded(clone: Path, file: Path) -> Iterator[Run]:
    """The recorded runs of an agent, by time."""
    recorded = Trajectories(clone)
    for task in tasks(file):
        done = recorded.turns(task)
        if done is not None:
            yield Run(task.name, task.repository.replace("/", "-"), done)


@dataclass(frozen=True, slots=True)
class Said:
    """One line that would have been said at a step."""

    session: str
    number: int
    text: str
    right: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """What came of all sessions."""

    sessions: int
    steps: int
    said: tuple[Said, ...]
    kept: Counter[str]
    """How many patterns there are at the end, by type."""


def gone_through(runs: Sequence[Run], home: Path) -> Counts:
    """What would have been said in these sessions, each project by itself."""
    said, kept = list[Said](), Counter[str]()
    for name in sorted({one.project for one in runs}):
        folder = home / "projects" / name
        folder.mkdir(parents=True)
        with app.open(folder) as lore:
            lore.use_embedder(None)
            lore.init()
            assert lore.project_id is not None
            for one in runs:
                said += _said(lore, one.id, one.turns) if one.project == name else ()
            with lore.store.read() as conn:
                found = patterns.of_project(conn, lore.project_id, limit=10_000)
            kept.update(one.type.value for one in found)
    steps = sum(turn.call is not None for one in runs for turn in one.turns)
    return Counts(len(runs), steps, tuple(said), kept)


def _said(lore: Workspace, id_: str, done: Sequence[Turn]) -> list[Said]:
    """What one session would have been told, each line once; then it is kept."""
    for path in {use.path for turn in done for use in _changes(turn)}:
        if not Path(path).is_absolute():
            (lore.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (lore.folder / path).touch()
    told, found = set[str](), list[Said]()
    for turn in done:
        for piece in _pieces(lore, turn.call, id_):
            if not told.intersection(piece.patterns):
                told.update(piece.patterns)
                right = _is_right(lore, piece, turn, done[turn.number + 1 :])
                found.append(Said(id_, turn.number, piece.text, right))
        _log(lore, id_, turn)
    at = [turn.at for turn in done if turn.at is not None]
    session = Session(id=id_, client="bench", created_at=min(at), last_at=max(at))
    with lore.store.append() as conn:
        sessions.upsert(conn, session)
    keep_patterns(lore, session, done)
    return found


def _changes(turn: Turn) -> tuple[FileUse, ...]:
    uses = turn.call.files if turn.call is not None else ()
    return tuple(use for use in uses if use.operation in CHANGES)


def _log(lore: Workspace, session: str, turn: Turn) -> None:
    """What the log knows of a step that changes files, as hooks tell it."""
    files = tuple(replace(use, path=lore.path_as_named(use.path)) for use in _changes(turn))
    if files and turn.at is not None:
        one = Event(
            id=f"{session} {turn.number}", at=turn.at, client="bench", moment=Moment.AFTER_TOOL,
            session_id=session, project_id=lore.project_id, tool="Edit", files=files,
        )  # fmt: skip
        with lore.store.append() as conn:
            events.append(conn, [one])


def _pieces(lore: Workspace, call: ToolCall | None, session: str) -> Iterator[Piece]:
    if call is not None:
        with lore.store.read() as conn:
            yield from telling.of_call(lore, conn, call, session)
            yield from telling.of_failure(lore, conn, call)


def _is_right(lore: Workspace, piece: Piece, at: Turn, later: Sequence[Turn]) -> bool:
    calls = [turn.call for turn in later if turn.call is not None]
    changed = _paths(lore, calls, CHANGES)
    opened = _paths(lore, calls, CHANGES | {Operation.READ})
    ran = {call.command for call in calls if call.command}
    assert lore.project_id is not None
    with lore.store.read() as conn:
        mine = [
            one
            for id_ in piece.patterns
            for one in patterns.ending_with(conn, lore.project_id, id_)
        ]
    if mine[0].type is PatternType.FAILED_EDIT:
        return at.call is not None and at.call.success is False
    told = {path for one in mine for path in one.data.get("files", ())}
    told |= {one.data[name] for one in mine for name in ("updated", "file") if name in one.data}
    found = {one.data["found"] for one in mine if "found" in one.data}
    known_command = any(f"`{command}`" in piece.text for command in ran)
    return bool(told & changed or found & opened) or known_command


def _paths(lore: Workspace, calls: Sequence[ToolCall], how: Collection[Operation]) -> set[str]:
    uses = (use for call in calls for use in call.files)
    return {lore.path_as_named(use.path) for use in uses if use.operation in how}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, help="a clone with the recorded runs")
    parser.add_argument("--show", action="store_true", help="every line that would have been said")
    add_option(parser)
    given = parser.parse_args()
    if given.runs is None:
        runs = list(of_learning(given.data / "learning-dev.json"))
    else:
        runs = list(of_recorded(given.runs, given.data / "swebench-lite-dev.jsonl"))
    with tempfile.TemporaryDirectory() as home:
        os.environ["LOREMAP_HOME"] = str(Path(home) / "home")
        counts = gone_through(runs, Path(home))
    for one in counts.said if given.show else ():
        print(f"{'right' if one.right else 'WRONG'} {one.session} {one.number}: {one.text}")
    right = sum(one.right for one in counts.said)
    print(f"{counts.sessions} sessions, {counts.steps} steps")
    print(f"{len(counts.said)} lines said, {right} of them right")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.kept.items())))
    found = {
        "sessions": counts.sessions,
        "steps": counts.steps,
        "said": len(counts.said),
        "right": right,
        "patterns": dict(sorted(counts.kept.items())),
    }
    print(write("patterns" if given.runs is None else "patterns-recorded", found, given.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
