"""Where one stands: a folder and its project, who speaks there, and what is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from loremap.code.anchored_files import Checkout
from loremap.code.branches import Branches
from loremap.code.checkout import Code
from loremap.code.repository import repository_at, rooted
from loremap.config.settings import Settings
from loremap.embedding.protocol import Embedder
from loremap.errors import BadInput
from loremap.memory.engine import Engine
from loremap.memory.recall.context import Reranker
from loremap.model.identity import Repository, identity_keys, wants_root
from loremap.model.memory import Actor
from loremap.safety.ignored import inside, refusal_for
from loremap.safety.redaction import redacted_name
from loremap.storage import projects


def utc_now() -> datetime:
    """The time now; the one clock the façade reads."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Known:
    """What all that speak from one folder share: its project, its aliases, uses that wait."""

    project: projects.Project | None
    settled: bool = False
    aliases: tuple[int, Mapping[str, Sequence[str]]] = (-1, {})  # never changed in place
    recalls: int = 0
    """How many recalls are not yet counted."""


class Workspace:
    """One folder as one session sees it; holds what the verbs of `Lore` work with."""

    def __init__(
        self,
        folder: Path,
        *,
        engine: Engine,
        session_id: str | None = None,
        agent: str | None = None,
    ) -> None:
        self.folder = folder
        self.engine = engine
        self.places, self.now, self.store = engine.places, engine.now, engine.store
        self._speak_for(session_id, agent, None)
        self.incognito = False
        """Whether nobody else may be told what is asked here."""
        self.repository = self._repository()
        self.code = Code(
            self.repository,
            graphs=self.places.graphs,
            embedder=self.embedder,
            memory_mb=engine.settings.whole("scan.memory_mb"),
        )
        self.checkout = Checkout(self.repository, code=self.code, graphs=self.places.graphs)
        self.branches = Branches(self.repository)
        self.notes: list[str] = []
        """What the day's housekeeping could not do."""
        self.reranker: Reranker | None = None
        self.known = Known(self.known_project())

    def as_session(
        self, session_id: str | None, agent: str | None, role: str | None = None
    ) -> Self:
        """The same memory, speaking for a session and an agent in its role; closing it is not
        needed."""
        twin = copy(self)
        twin._speak_for(session_id, agent, role)
        return twin

    def _speak_for(self, session_id: str | None, agent: str | None, role: str | None) -> None:
        self.session_id = None if session_id is None else _name_kept(session_id)
        self.agent = None if agent is None else _name_kept(agent)
        self.role = None if role is None else _name_kept(role)
        self.actor = Actor(name="user" if self.agent is None else f"agent:{self.agent}")

    def _repository(self) -> Repository:
        repository = repository_at(self.folder)
        with self.store.read() as conn:
            known = projects.known_in(conn, self.actor.tenant_id)
            if wants_root(identity_keys(repository), known):
                repository = rooted(repository)
        return repository

    # What is at hand

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.engine.settings

    @property
    def project(self) -> projects.Project | None:
        """The project of this folder; None until something is remembered in it."""
        if self.known.project is None:  # another process may have made it known meanwhile
            self.known.project = self.known_project()
        return self.known.project

    @property
    def project_id(self) -> str | None:
        """The id of this folder's project."""
        project = self.project
        return None if project is None else project.id

    def known_project(self) -> projects.Project | None:
        """The project as the store has it now."""
        return projects.find(self.store, self.repository, tenant_id=self.actor.tenant_id)

    def embedder(self) -> Embedder | None:
        """The embedder, or None while it cannot be used; `model_trouble` says why."""
        return self.engine.slot.embedder()

    @property
    def model_trouble(self) -> str:
        """Why vectors are not used now; empty when they are."""
        return self.engine.slot.trouble

    # Files

    def path_here(self, path: str | Path) -> str:
        """`path` as the project names it; raises where it lies outside."""
        relative = inside(self._absolute(path), self.repository.root)
        if relative is None:
            raise BadInput(
                f"{path} lies outside the project {self.repository.root}; nothing was stored.",
                hint="Name a file of this project.",
            )
        return relative

    def path_as_named(self, path: str | Path) -> str:
        """`path` as the project names it, or as it was given where it lies outside."""
        return inside(self._absolute(path), self.repository.root) or str(path)

    def source_here(self, path: str | Path) -> str:
        """`path` as the project names it; raises where there is no such file, or where its
        content may hold secrets."""
        relative = self.path_here(path)
        place = self.repository.root / relative
        if not place.is_file():
            said = f"{relative} is not a file" if place.exists() else f"There is no file {relative}"
            raise BadInput(f"{said}; nothing was stored.")
        reason = refusal_for(place, self.repository.root)
        if reason is not None:
            raise BadInput(
                f"{relative} is not read: {reason}; nothing was stored.",
                hint="Say what matters of it in your own words.",
            )
        return relative

    def readable_source(self, path: str | Path) -> Path:
        """A file whose content may be remembered; raises where it may hold secrets."""
        return self.repository.root / self.source_here(path)

    def _absolute(self, path: str | Path) -> Path:
        return Path(path) if Path(path).is_absolute() else self.folder / path


def _name_kept(name: str) -> str:
    """A session or an agent is named by its client; what a name may hold, no file shall keep."""
    return redacted_name(name)
