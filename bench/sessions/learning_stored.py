"""What sessions leave in a real store: read by session memory, let in by admission."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import loremap
from bench.sessions.learning_data import Json
from bench.sessions.learning_transcripts import written
from loremap.app import Lore
from loremap.model.clock import new_id
from loremap.model.finding import Finding
from loremap.model.memory import Memory
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.finishing import Known, Reader
from loremap.sessions.learning.evidence import Weights
from loremap.sessions.learning.learn import findings_of
from loremap.sessions.session_memory import SessionMemory
from loremap.storage import memories
from loremap.storage import sessions as session_rows


@dataclass(frozen=True, slots=True)
class Kept:
    """What a session left: each finding that became a memory, and that memory at the end."""

    session: Json
    memories: tuple[tuple[Finding, Memory], ...]


def kept(
    sessions: Sequence[Json],
    weights: Mapping[str, Weights],
    injected: Mapping[str, Sequence[str]],
) -> list[Kept]:
    """What is in the store after all sessions, those of a project after each other. `injected` is
    what each session, by its id, was given by us."""
    found = list[Kept]()
    for project in sorted({one["project"] for one in sessions}):
        own = [one for one in sessions if one["project"] == project]
        with _folder() as folder:
            found += _of_project(folder, own, weights.get(project), injected)
    return found


def _of_project(
    folder: Path,
    sessions: Sequence[Json],
    weights: Weights | None,
    injected: Mapping[str, Sequence[str]],
) -> Iterator[Kept]:
    clock = _Clock()
    learned = list[tuple[Json, list[tuple[Finding, str]]]]()
    with loremap.open(folder, now=clock) as lore:
        lore.use_embedder(None)
        lore.init()
        memory = SessionMemory(lore, _reader(weights))
        for session in sorted(sessions, key=lambda one: str(one["started_at"])):
            clock.at = datetime.fromisoformat(session["turns"][-1]["at"]) + timedelta(minutes=1)
            _put(lore, session, folder, injected.get(session["id"], ()))
            kept = memory.learn(session["id"]).findings
            ids = [(one.finding, one.memory_id) for one in kept if one.memory_id is not None]
            learned.append((session, ids))
        with lore.store.read() as conn:
            every = memories.by_ids(conn, [id_ for _, of in learned for _, id_ in of])
        by_id = {one.id: one for one in every}
        for session, of in learned:
            yield Kept(session, tuple((one, by_id[id_]) for one, id_ in of))


class _Clock:
    """The time at which a session ended."""

    at = datetime.fromisoformat("2020-01-01T00:00:00Z")

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at


def _reader(weights: Weights | None) -> Reader:
    def read(turns: Sequence[Turn], known: Known) -> Sequence[Finding]:
        return findings_of(turns, known=known.stated, injected=known.injected, weights=weights)

    return read


def _put(lore: Lore, session: Json, folder: Path, injected: Sequence[str]) -> None:
    """Write a session's transcript and its row, as the memory agent does."""
    path = folder / f"{new_id()}.jsonl"
    row = Session(
        id=session["id"],
        client=written(session, path),
        created_at=datetime.fromisoformat(session["started_at"]),
        project_id=lore.project_id,
        transcript=str(path),
        folder=str(lore.folder),
        branch=session["branch"],
        last_at=lore.now(),
        ended_at=lore.now(),
        always_on="\n".join(injected),
    )
    with lore.store.append() as conn:
        session_rows.upsert(conn, row)


@contextmanager
def _folder() -> Iterator[Path]:
    """A project of its own in a home of its own."""
    names = ("LOREMAP_HOME", "LOREMAP_KEYS")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            os.environ[name] = f"{folder}/{name}"
        try:
            (Path(folder) / "project").mkdir()
            yield Path(folder) / "project"
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
