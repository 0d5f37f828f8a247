"""The coding store: conventions, gotchas and decisions of public repositories, and prompts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Note:
    """One memory of a repository; a standing one applies to any work in it."""

    key: str
    repo: str
    kind: str
    text: str
    standing: bool


@dataclass(frozen=True)
class Prompt:
    """What a developer types; `gold` should be given, `near` is neither required nor wrong."""

    text: str
    repo: str
    gold: frozenset[str]
    near: frozenset[str]


@dataclass(frozen=True)
class CodingStore:
    """All of one file."""

    notes: tuple[Note, ...]
    fit: tuple[Prompt, ...]
    nofit: tuple[str, ...]
    generic: tuple[str, ...]

    @property
    def repos(self) -> tuple[str, ...]:
        """The repositories, each once."""
        return tuple(dict.fromkeys(note.repo for note in self.notes))


def coding(folder: Path) -> CodingStore:
    """The store of `coding*.json`."""
    path = next(iter(sorted(folder.glob("coding*.json"))))
    record = json.loads(path.read_text(encoding="utf-8"))
    return CodingStore(
        notes=tuple(
            Note(one["id"], one["repo"], one["kind"], one["text"], one["standing"])
            for one in record["memories"]
        ),
        fit=tuple(
            Prompt(
                one["prompt"], one["repo"], frozenset(one["gold"]), frozenset(one.get("near", ()))
            )
            for one in record["fit"]
        ),
        nofit=tuple(record["nofit"]),
        generic=tuple(record["generic"]),
    )


def distractors(folder: Path, count: int) -> list[str]:
    """Sentences of issues, talk and facts from the other sets, none about these repositories."""
    from bench.retrieval import data

    talk = [item.text for store in data.locomo(folder) for item in store.items]
    facts = [item.text for store in data.factconsolidation(folder) for item in store.items]
    chats = [
        line.strip()
        for store in data.beam(folder)
        for item in store.items
        for line in item.text.splitlines()
        if 40 <= len(line.strip()) <= 400
    ]
    every = list(dict.fromkeys([*talk, *facts, *chats]))
    step = max(1, len(every) // count)
    return every[::step][:count]
