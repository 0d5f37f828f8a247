"""A store of its own, asked as the memory agent asks it at a prompt."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.unasked.cases import Noted, Prompt, Store
from loremap.agent.metrics.meter import unnoted
from loremap.agent.retriever import LOOKED_AT, Asking, Retriever, as_question
from loremap.agent.service_level import Monitor
from loremap.agent.session_agent import MAX_TASK
from loremap.agent.task_modules import TaskModules
from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.clients.registry import client_named
from loremap.config.folders import Folders, folders
from loremap.embedding.protocol import Embedder
from loremap.memory.admission.limits import Limits
from loremap.memory.admission.summary import tokens_in
from loremap.memory.brief.brief import Dress
from loremap.memory.found import Found
from loremap.memory.workspaces import Workspaces
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin
from loremap.model.outcome import Refused

CLIENT = "claude"
BUDGET_TOKENS = 1_500
NOW = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
LIMITS = Limits(per_session=1 << 30)
BATCH = 256
AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")


@dataclass(frozen=True, slots=True)
class Told:
    """What was told at a prompt."""

    prompt: Prompt
    memories: tuple[str, ...]
    """The keys of what was told; empty ones are filler."""
    right_memory: bool
    modules: tuple[str, ...]
    right_module: bool
    tokens: int

    @property
    def anything(self) -> bool:
        """Whether anything was told."""
        return bool(self.memories or self.modules)


class World:
    """One store and whoever asks it."""

    def __init__(self, workspaces: Workspaces[Lore], folder: Path, store: Store) -> None:
        self.workspaces = workspaces
        self.folder = folder
        self.store = store
        self.mapped = False
        self._keys: dict[str, str] = {}
        self._guide = TaskModules(workspaces.places.graphs, lambda: workspaces.engine.slot.taken)
        self._retriever = Retriever(
            workspaces,
            self._guide,
            Monitor(),
            verifier=None,
            measured=unnoted,
        )

    def close(self) -> None:
        """Let go of everything."""
        self._retriever.close()
        self._guide.close()
        self.workspaces.close()

    def remember(self, memories: Sequence[Noted]) -> None:
        """Take memories in, the first the oldest."""
        with self.workspaces.at(self.folder) as lore:
            for start in range(0, len(memories), BATCH):
                batch = memories[start : start + BATCH]
                outcomes = lore.admit_all([_candidate(one) for one in batch], limits=LIMITS)
                for one, outcome in zip(batch, outcomes, strict=True):
                    if not isinstance(outcome, Refused):
                        self._keys.setdefault(outcome.memory.id, one.key)
                    elif one.key:
                        raise ValueError(f"{one.key} was refused: {outcome.reason}")

    def map(self) -> None:
        """Read the code, so that modules can be named."""
        with self.workspaces.at(self.folder) as lore:
            lore.init()
            lore.code.scan()
            lore.modules.map()
            self._guide.make_ready(lore)()
        self.mapped = True

    def found(self, text: str) -> Found:
        """What fits a prompt, before it is decided whether it is told."""
        task = as_question(text)
        asking = Asking(
            folder=self.folder,
            session_id="bench",
            client=CLIENT,
            task=task,
            looked_at=LOOKED_AT,
            with_code=self.mapped,
        )
        return self._retriever.found(asking, self._retriever.thinking(task))

    def told(self, prompt: Prompt) -> Told:
        """What is told at a prompt."""
        found = self.found(prompt.text).unasked().best(MAX_TASK)
        keys = tuple(self._keys.get(hit.memory.id, "") for hit in found.hits)
        files = {
            file for one in self.store.memories if one.key in prompt.helped_by for file in one.files
        }
        client = client_named(CLIENT)
        dress = Dress(form=client.form, budget_tokens=BUDGET_TOKENS, most_bytes=client.most_bytes)
        return Told(
            prompt=prompt,
            memories=keys,
            right_memory=not prompt.helped_by.isdisjoint(keys),
            modules=tuple(module.name for module in found.modules),
            right_module=any(files & set(module.core_files) for module in found.modules),
            tokens=tokens_in(found.briefed(dress).text),
        )

    def key_of(self, memory_id: str) -> str:
        """The key of a memory; empty for filler."""
        return self._keys.get(memory_id, "")


@contextmanager
def world(
    store: Store,
    *,
    work: Path,
    embedder: Embedder | None,
    repository: Path | None = None,
    filling: Sequence[str] = (),
) -> Iterator[World]:
    """A fresh store, in a checkout of `repository` or in a folder with the files its memories
    name. The graph of a checkout is kept in `work` for the next run."""
    place = work / store.name
    folder = _checkout(repository, place) if repository else _made_up(store, place / "made-up")
    home = place / "home"
    for old in home.glob("lore.db*"):
        old.unlink()
    workspaces = open_workspaces(Folders(home=home, cache=folders().cache), now=lambda: NOW)
    workspaces.engine.use_embedder(embedder)
    made = World(workspaces, folder, store)
    try:
        made.remember([Noted("", Kind.FACT.value, (), text) for text in filling])
        made.remember(store.memories)
        if repository:
            made.map()
        yield made
    finally:
        made.close()


def _candidate(one: Noted) -> Candidate:
    return Candidate(
        content=one.text,
        kind=Kind(one.kind),
        origin=Origin.USER_STATED,
        files=one.files,
        created_at=NOW - timedelta(days=3),
    )


def _checkout(repository: Path, place: Path) -> Path:
    """A copy of the tracked files of `repository`, for nobody may write there."""
    commit = _git(repository, "rev-parse", "--short", "HEAD")
    folder = place / f"checkout-{commit}"
    if not folder.exists():
        for old in place.glob("checkout-*"):
            shutil.rmtree(old)
        part = place / "checkout-part"
        for name in _git(repository, "ls-files").splitlines():
            if (repository / name).is_file():
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(repository / name, part / name)
        _git(part, "init", "-q")
        _git(part, "add", "--all")
        _git(part, *AUTHOR, "commit", "-qm", commit)
        part.rename(folder)
    return folder


def _made_up(store: Store, folder: Path) -> Path:
    """A repository with nothing in it but empty files where the memories say there are some."""
    for path in {folder / file for one in store.memories for file in one.files}:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    if not (folder / ".git").exists():
        _git(folder, "init", "-q")
    return folder


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
