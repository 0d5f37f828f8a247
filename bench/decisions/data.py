"""Bug reports whose right fix hangs on a decision made in a chat (sde-bench, MIT), and decoys."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loremap.model.words import words

NEARLY = 2 / 3
"""A decision is often said twice; a sentence that says so much of it as the fullest one says it."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Turn:
    """What one side said."""

    chat: str
    at: int
    text: str

    @property
    def key(self) -> str:
        """Names it among all turns."""
        return f"{self.chat}/{self.at}"


@dataclass(frozen=True)
class Task:
    """A bug report, and the chats that decided what is right, the oldest first."""

    name: str
    report: str
    policy: str
    chats: tuple[tuple[Turn, ...], ...]

    @property
    def amended(self) -> bool:
        """Whether a later chat changed what an earlier one had decided."""
        return len(self.chats) > 1


@dataclass(frozen=True)
class Decisions:
    """All of one file."""

    tasks: tuple[Task, ...]
    decoys: tuple[tuple[Turn, ...], ...]


def decisions(folder: Path) -> Decisions:
    """The tasks of `sde*.json` that were decided in a chat; those decided in a commit are not about
    memory of chats."""
    path = next(iter(sorted(folder.glob("sde*.json"))))
    record = json.loads(path.read_text(encoding="utf-8"))
    return Decisions(
        tasks=tuple(
            Task(one["task_id"], one["bug_report"], one["policy"], _chats(one))
            for one in record["tasks"]
            if one["source"].startswith("conversation")
        ),
        decoys=tuple(_turns(one["id"], one["turns"]) for one in record["decoys"]),
    )


def _chats(record: dict[str, object]) -> tuple[tuple[Turn, ...], ...]:
    given = record["conversations"]
    assert isinstance(given, list)
    chats = given if given and isinstance(given[0], list) else [given]
    return tuple(_turns(f"{record['task_id']}-{at}", chat) for at, chat in enumerate(chats))


def _turns(chat: str, given: Iterable[dict[str, str]]) -> tuple[Turn, ...]:
    return tuple(Turn(chat, at, one["text"]) for at, one in enumerate(given))


@dataclass(frozen=True)
class Statement:
    """A sentence of a turn, and how much of a policy it says, rare words counting more."""

    turn: Turn
    text: str
    says: float


class Deciding:
    """Finds the words of a chat that carry a policy; the data names none."""

    def __init__(self, every: Iterable[Turn]) -> None:
        texts = [frozenset(words(turn.text)) for turn in every]
        self._count, self._of = Counter(word for text in texts for word in text), len(texts)

    def statements(self, chat: Sequence[Turn], policy: str) -> list[Statement]:
        """The sentences that say the policy: the one that says most of it, of equals the later one,
        and those that say nearly as much."""
        wanted = {word: math.log(1 + self._of / (1 + self._count[word])) for word in words(policy)}
        found = [
            Statement(turn, text, sum(wanted.get(word, 0.0) for word in set(words(text))))
            for turn in chat
            for text in map(str.strip, _SENTENCE.split(turn.text))
        ]
        found.sort(key=lambda one: (one.says, one.turn.at), reverse=True)
        return [one for one in found if one.says >= NEARLY * found[0].says]
