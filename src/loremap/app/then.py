"""The memory as it would have been at a time: a throw-away store that goes on through the past.

It lies in a folder that goes with it, under a key that nobody keeps. The store it is made from is
only read. What is not known of the past is left out: links, conflicts, clusters, facts and aliases,
what other agents did at that time, and to which state of the code a memory was anchored; the code
itself is that of today.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from loremap.agent.replay.rehearsal import PastClock, patient
from loremap.app.engine import store_options
from loremap.app.lore import Lore
from loremap.config.folders import Folders
from loremap.config.settings import Settings
from loremap.errors import BadInput
from loremap.memory.as_of import as_of
from loremap.memory.engine import Engine
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Actor, Change, Memory, Status
from loremap.model.session import Recap, Work
from loremap.safety import keys
from loremap.storage import changes, learning, memories, sessions, vectors
from loremap.storage.graph.file import graph_path
from loremap.storage.open import care_of, open_store
from loremap.storage.options import Key
from loremap.storage.transaction import Tx

MAX_MEMORIES = 10_000
MAX_SESSIONS = 1_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = datetime.max.replace(tzinfo=UTC)
Past = tuple[Memory, Sequence[Change]]


class Then:
    """The memory of one project at a time of the past."""

    def __init__(self, here: Lore, workspaces: Workspaces[Lore], clock: PastClock) -> None:
        self.workspaces = workspaces
        self.clock = clock
        self.folder = here.repository.root
        self._here = here
        self._past = _past(here)
        self._recaps = _recaps(here)
        self._held: dict[str, Memory] = {}
        with workspaces.at(self.folder) as lore:
            project = lore.init()
            assert project is not None  # there was one to be replayed
            self._project_id = project.id
            lore.code.kept = True
            self.is_mapped = lore.code.scanned
            if self.is_mapped:
                lore.modules.refresh()

    @property
    def known(self) -> dict[str, Memory]:
        """The memories of then, by id."""
        return dict(self._held)

    def go_to(self, at: datetime, *, without: str) -> None:
        """Make the store what it was at a time, without what the session `without` taught."""
        self.clock.at = at
        wanted = self._wanted(at, without)
        gone = [id_ for id_, held in self._held.items() if wanted.get(id_) != held]
        fresh = [memory for id_, memory in wanted.items() if self._held.get(id_) != memory]
        if gone or fresh:
            store = self.workspaces.engine.store
            with store.write(now=at, actor=Actor()) as tx:
                memories.erase(tx, gone)
                for memory in fresh:
                    memories.insert_memory(tx, memory)
                self._put_vectors(tx, fresh)
        self._held = wanted
        self._put_recaps(at, without)
        if self.workspaces.engine.slot.taken is not None:
            with self.workspaces.at(self.folder) as lore:
                lore.embed_waiting()

    def _wanted(self, at: datetime, without: str) -> dict[str, Memory]:
        """What spoke then, each text once."""
        wanted: dict[tuple[str | None, str], Memory] = {}
        for memory, history in self._past:
            then = None if memory.session_id == without else as_of(memory, history, at)
            if then is not None:
                placed = self._placed(then)
                wanted.setdefault((placed.project_id, placed.fingerprint), placed)
        return {memory.id: memory for memory in wanted.values()}

    def _placed(self, memory: Memory) -> Memory:
        ours = Actor()
        project_id = None if memory.project_id is None else self._project_id
        return replace(
            memory, project_id=project_id, tenant_id=ours.tenant_id, owner_id=ours.owner_id
        )

    def _put_recaps(self, at: datetime, without: str) -> None:
        """Tell how the sessions went that were over then, and of no other."""
        with self.workspaces.engine.store.append() as conn:
            for recap in self._recaps:
                session = recap.session
                over = recap.at < at and session.id != without
                sessions.upsert(
                    conn,
                    replace(session, project_id=self._project_id, always_on="", last_at=recap.at),
                )
                learning.note_read(conn, session.id, seq=0, work=recap.work if over else Work())

    def _put_vectors(self, tx: Tx, fresh: Sequence[Memory]) -> None:
        """Take over the vectors of what says today what it said then."""
        embedder = self.workspaces.engine.slot.taken
        if embedder is None or not fresh:
            return
        now = {memory.id: memory.fingerprint for memory, _ in self._past}
        same = [one for one in fresh if now[one.id] == one.fingerprint]
        with self._here.store.read() as conn:
            found = vectors.current(conn, embedder.model, [one.id for one in same])
        for one in same:
            if one.id in found:
                vectors.put(
                    tx,
                    one.id,
                    fingerprint=one.fingerprint,
                    model=embedder.model,
                    chunks=found[one.id],
                )


@contextmanager
def then(here: Lore) -> Iterator[Then]:
    """A memory of this folder's project that can go through its past; nothing is left of it."""
    if here.project_id is None:
        raise BadInput("There is no project here.", hint="Run this in a repository.")
    with TemporaryDirectory(prefix="loremap-replay-") as work:
        clock = PastClock(here.now())
        engine = _engine(here, Path(work), clock)

        def opened(folder: Path) -> Lore:
            return Lore(folder, places=engine.places, settings=engine.settings, engine=engine)

        workspaces = Workspaces(engine, opened)
        try:
            yield Then(here, workspaces, clock)
        finally:
            workspaces.close()


def _engine(here: Lore, work: Path, clock: PastClock) -> Engine:
    places = Folders(home=work, cache=here.places.cache)
    options = replace(store_options(here.settings), synchronous="normal")
    key = Key(keys.new_key(), keys.new_salt())
    now = here.now()
    care_of(places.store, "").make(key, options=options, now=now)
    tenant_id = Actor().tenant_id
    store = open_store(
        places.store, "", tenant_id=tenant_id, key_of=lambda _: key, options=options, now=now
    )
    _copy_graph(here, places.graphs)
    embedder = here.embedder()
    settings = patient(here.settings)
    if embedder is None:  # nobody waits for a model that does not come
        settings = Settings({**settings.values, "embedding.provider": "none"}, settings.file)
    engine = Engine(places, settings, store=store, now=clock)
    engine.use_embedder(embedder)
    engine.due_at = NEVER
    store.written = lambda _stamp: None  # hooks are told of the user's own store alone
    store.erasing = lambda: None
    return engine


def _copy_graph(here: Lore, graphs: Path) -> None:
    graphs.mkdir(mode=0o700)
    root = here.repository.root
    source, target = graph_path(here.places.graphs, root), graph_path(graphs, root)
    for end in ("", "-wal"):
        part = source.with_name(source.name + end)
        if part.exists():
            shutil.copyfile(part, target.with_name(target.name + end))


def _recaps(here: Lore) -> list[Recap]:
    """How the sessions of a project went that were read and are over."""
    assert here.project_id is not None
    with here.store.read() as conn:
        return learning.recaps(conn, here.project_id, since=EPOCH, but=(), limit=MAX_SESSIONS)


def _past(here: Lore) -> list[Past]:
    """The memories of a project and the global ones, each with its history, the oldest first."""
    every = tuple(Status)
    with here.store.read() as conn:
        found = [
            memory
            for deleted in (False, True)
            for memory in memories.listing(
                conn,
                memories.Filter(
                    tenant_id=here.actor.tenant_id,
                    project_id=here.project_id,
                    statuses=every,
                    deleted=deleted,
                ),
                limit=MAX_MEMORIES,
            )
        ]
        return [
            (memory, changes.history_of(conn, memory.id))
            for memory in sorted(found, key=lambda one: one.created_at)
        ]
