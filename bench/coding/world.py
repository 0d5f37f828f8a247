"""A user's store with the projects of the coding set, asked as a person and as the hook ask."""

from __future__ import annotations

import subprocess
import tempfile
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.coding.data import Note
from bench.retrieval.rows import teach
from bench.retrieval.world import LINK_WEIGHT, MAX_LINKED
from loremap.agent.metrics.meter import unnoted
from loremap.agent.retriever import LOOKED_AT, Asking, Retriever, as_question
from loremap.agent.service_level import Monitor
from loremap.agent.session_agent import MAX_TASK, SessionAgent
from loremap.agent.task_modules import TaskModules
from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.config.folders import Folders, folders
from loremap.embedding.protocol import Embedder
from loremap.memory.admission.limits import Limits
from loremap.memory.recall.recipes import Recipe
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin, Relation
from loremap.model.outcome import Refused
from loremap.model.recall import Recall

CLIENT = "claude"
BATCH = 256


class World:
    """One store with several projects."""

    def __init__(self, workspaces: Workspaces[Lore], root: Path) -> None:
        self.workspaces = workspaces
        self._root = root
        self._keys: dict[str, str] = {}
        self._session_agent = SessionAgent(workspaces)
        self._guide = TaskModules(workspaces.places.graphs, lambda: workspaces.engine.slot.taken)
        self._retriever = Retriever(
            workspaces, self._guide, Monitor(), verifier=None, measured=unnoted
        )

    def close(self) -> None:
        """Let go of everything."""
        self._session_agent.close()
        self._retriever.close()
        self._guide.close()
        self.workspaces.close()

    def folder(self, project: str) -> Path:
        """A project's folder, a repository of its own."""
        folder = self._root / project.replace("/", "+")
        if not folder.exists():
            subprocess.run(["git", "init", "-q", str(folder)], check=True)
        return folder

    def remember(self, project: str, notes: Sequence[Note]) -> None:
        """As a person tells them, one at a time."""
        with self.workspaces.at(self.folder(project)) as lore:
            for note in notes:
                outcome = lore.remember(note.text, kind=note.kind)
                if isinstance(outcome, Refused):
                    raise ValueError(f"{note.key} was refused: {outcome.reason}")
                self._keys.setdefault(outcome.memory.id, note.key)

    def fill(self, project: str, texts: Sequence[str]) -> None:
        """Take in what is about something else."""
        with self.workspaces.at(self.folder(project)) as lore:
            for start in range(0, len(texts), BATCH):
                lore.admit_all(
                    [
                        Candidate(content=text, kind=Kind.FACT, origin=Origin.USER_STATED)
                        for text in texts[start : start + BATCH]
                    ],
                    limits=Limits(content_bytes=1 << 20, per_session=1 << 30),
                )

    def tend(self, project: str) -> None:
        """Tags, clusters and facts, as the passes make them."""
        with self.workspaces.at(self.folder(project)) as lore:
            lore.facts.learn()
            lore.graph.infer_tags()
            lore.graph.refresh_clusters()

    def used_together(self, project: str, keys: Collection[str]) -> None:
        """Link what one piece of work needed, as its use links it."""
        ids = sorted(id_ for id_, key in self._keys.items() if key in keys)
        with self.workspaces.at(self.folder(project)) as lore:
            for one, other in combinations(ids[:MAX_LINKED], 2):
                lore.link(one, other, Relation.RELATES_TO, weight=LINK_WEIGHT)

    def teach(self, project: str, text: str, right: Collection[str], *, session: str) -> None:
        """Vote on what a prompt is given."""
        with self.workspaces.at(self.folder(project)) as lore:
            teach(lore, text, lambda memory: self.key_of(memory.id) in right, session=session)

    def recall(
        self, project: str, text: str, *, ranked: bool = False, recipe: Recipe | None = None
    ) -> tuple[list[str], Recall]:
        """The keys of what an agent would be given; `ranked`, of the ten best."""
        with self.workspaces.at(self.folder(project)) as lore:
            if ranked:
                answer = lore.recall(text, recipe=recipe, limit=10, gate=False, count_use=False)
            else:
                answer = lore.recall(text, count_use=False)
        return [self.key_of(hit.memory.id) for hit in answer.hits], answer

    def key_of(self, memory_id: str) -> str:
        """The key of the note that a memory holds; empty where it holds none."""
        return self._keys.get(memory_id, "")

    def briefed(self, project: str, text: str) -> str:
        """All that a new session has been given when it has been told its first prompt."""
        folder = self.folder(project)
        session = uuid.uuid4().hex

        def event(moment: Moment, **more: Any) -> HookEvent:
            return HookEvent(
                client=CLIENT,
                name=moment.value,
                moment=moment,
                session_id=session,
                at=self.workspaces.now(),
                folder=folder,
                key=uuid.uuid4().hex,
                incognito=True,
                **more,
            )

        started = self._session_agent.handle(
            event(Moment.SESSION_START, beginning=Beginning.STARTUP)
        ).context
        self._session_agent.settle()
        return started + self._session_agent.handle(event(Moment.PROMPT, prompt=text)).context

    def told(self, project: str, text: str) -> list[str]:
        """The keys of what the hook tells unasked."""
        task = as_question(text)
        asking = Asking(
            folder=self.folder(project),
            session_id="bench",
            client=CLIENT,
            task=task,
            looked_at=LOOKED_AT,
            with_code=False,
        )
        found = self._retriever.found(asking, self._retriever.thinking(task))
        return [self.key_of(hit.memory.id) for hit in found.unasked().best(MAX_TASK).hits]


@contextmanager
def world(embedder: Embedder | None) -> Iterator[World]:
    """An empty store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        workspaces = open_workspaces(Folders(home=place / "home", cache=folders().cache))
        workspaces.engine.use_embedder(embedder)
        made = World(workspaces, place)
        try:
            yield made
        finally:
            made.close()
