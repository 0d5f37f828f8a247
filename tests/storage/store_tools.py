"""Memories made up for tests, bytes of a folder, and processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from loremap.memory.admission.fingerprint import fingerprint
from loremap.model.clock import new_id
from loremap.model.kind import Kind
from loremap.model.memory import Actor, Memory, Origin, Scope, Status
from loremap.storage.options import Key, Options
from loremap.storage.sqlite.store import FileStore, open_store

NOW = datetime(2026, 3, 14, 15, 9, 26, 535_000, tzinfo=UTC)
ME = Actor()
QUICK = Options(synchronous="normal", busy_timeout_ms=300)
"""Nothing here tests power loss; a lock that is held shall be noticed soon."""

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["loremap.app", "keyring", "sqlalchemy.dialects.sqlite"])


def store_at(folder: Path, *, key: Key | None = None, options: Options = QUICK) -> FileStore:
    """The store in `folder`, open."""
    return open_store(folder / "lore.db", key=key, options=options, now=NOW)


def memory(content: str = "The build needs Node 20.", **fields: Any) -> Memory:
    """A global fact that says `content`, with `fields` set otherwise."""
    given: dict[str, Any] = {
        "id": new_id(),
        "kind": Kind.FACT,
        "content": content,
        "summary": content[:100],
        "status": Status.CONFIRMED,
        "scope": Scope.GLOBAL,
        "project_id": None,
        "created_at": NOW,
        "updated_at": NOW,
        "last_accessed_at": NOW,
        "origin": Origin.USER_STATED,
        "fingerprint": fingerprint(content),
    }
    return Memory(**(given | fields))


def rare_words(rng: random.Random, count: int) -> list[str]:
    """Made-up words that no page holds by chance, each its own stem."""

    def word() -> str:
        syllables = (rng.choice("bdfgklmnprtvz") + rng.choice("aou") for _ in range(6))
        return "".join(syllables) + rng.choice("kmp")

    return [word() for _ in range(count)]


def rare_text(rng: random.Random, count: int = 12) -> str:
    """A sentence of such words."""
    return " ".join(rare_words(rng, count)).capitalize() + "."


def holding(folder: Path, texts: Iterable[str]) -> dict[str, list[str]]:
    """Which files below `folder` hold which of `texts`, in any case, as UTF-8 or UTF-16."""
    wanted = {text: _spellings(text) for text in texts}
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            held = path.read_bytes().lower()
            hits = [text for text, forms in wanted.items() if any(form in held for form in forms)]
            if hits:
                found[str(path.relative_to(folder))] = hits
    return found


def _spellings(text: str) -> tuple[bytes, bytes]:
    return text.lower().encode(), text.lower().encode("utf-16-le")


class Child:
    """A process of its own that runs `work(pipe, *arguments)` in the same environment."""

    def __init__(self, work: Callable[..., None], *arguments: object) -> None:
        self.pipe, theirs = PROCESSES.Pipe()
        settings = {name: value for name, value in os.environ.items() if _is_ours(name)}
        self.process = PROCESSES.Process(
            target=_with_settings, args=(settings, work, theirs, *arguments), daemon=True
        )
        self.process.start()
        theirs.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.pipe.close()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def says(self, timeout_s: float = 60.0) -> Any:
        """The next thing it tells."""
        assert self.pipe.poll(timeout_s), "the child says nothing"
        return self.pipe.recv()

    def kill(self) -> list[Any]:
        """End it without a warning; returns what it still told."""
        self.process.kill()
        self.process.join()
        told = []
        try:
            while self.pipe.poll():
                told.append(self.pipe.recv())
        except EOFError:
            pass
        return told

    def tell(self, message: object) -> None:
        """Tell it something."""
        self.pipe.send(message)


def _is_ours(name: str) -> bool:
    return name.startswith(("LOREMAP_", "PYTHON_KEYRING", "XDG_"))


def _with_settings(
    settings: dict[str, str], work: Callable[..., None], pipe: Connection, *arguments: object
) -> None:
    """The fork server knows the environment of its own start only."""
    for name in [name for name in os.environ if _is_ours(name)]:
        del os.environ[name]
    os.environ.update(settings)
    work(pipe, *arguments)
    pipe.close()
