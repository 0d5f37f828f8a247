"""The stores and prompts of the benchmark, all written for it, read from the folder beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

DATA = Path(__file__).with_name("data")


class Sort(StrEnum):
    """What sort of turn a prompt is."""

    TASK = "task of the project"
    FOLLOW_UP = "follow-up"
    CHATTER = "general chatter"
    FOREIGN = "another project's task"
    NEIGHBOUR = "another store's task"


SILENT = (Sort.FOLLOW_UP, Sort.CHATTER, Sort.FOREIGN, Sort.NEIGHBOUR)
_FILES = {Sort.FOLLOW_UP: "follow-ups", Sort.CHATTER: "chatter", Sort.FOREIGN: "foreign"}


@dataclass(frozen=True, slots=True)
class Noted:
    """A memory of a store."""

    key: str
    kind: str
    files: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What somebody typed, and the keys of the memories that help; none where nothing should."""

    sort: Sort
    text: str
    helped_by: frozenset[str] = frozenset()

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that nothing was tuned on; the text alone decides."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True, slots=True)
class Store:
    """What is remembered of one project, and the tasks of it."""

    name: str
    memories: tuple[Noted, ...]
    tasks: tuple[Prompt, ...]


def stores() -> list[Store]:
    """Every store, by name."""
    names = sorted(path.name.removesuffix(".memories.txt") for path in DATA.glob("*.memories.txt"))
    return [Store(name, tuple(_memories(name)), tuple(_tasks(name))) for name in names]


def prompts_for(store: Store, every: list[Store]) -> list[Prompt]:
    """All that is asked of a store: its own tasks, and what it should be silent at."""
    next_one = every[(every.index(store) + 1) % len(every)]
    others = [Prompt(Sort.NEIGHBOUR, task.text) for task in next_one.tasks]
    return [*store.tasks, *silent(), *others]


def silent() -> list[Prompt]:
    """The prompts that no store has anything to say to."""
    return [
        Prompt(sort, line.replace("\\n", "\n"))
        for sort, name in _FILES.items()
        for line in _lines(f"{name}.txt")
    ]


def _memories(name: str) -> Iterator[Noted]:
    for line in _lines(f"{name}.memories.txt"):
        key, kind, files, text = line.split(" | ", 3)
        yield Noted(key, kind, tuple(files.split(",")), text)


def _tasks(name: str) -> Iterator[Prompt]:
    for line in _lines(f"{name}.prompts.txt"):
        keys, text = line.split(" | ", 1)
        yield Prompt(Sort.TASK, text.replace("\\n", "\n"), frozenset(keys.split(",")))


def _lines(name: str) -> Iterator[str]:
    text = (DATA / name).read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("# "))
