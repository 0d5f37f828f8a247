"""What a small model is asked, and what it said: values, and the protocol of whoever answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
CHARACTERS_PER_TOKEN = 3.5
"""A low guess for English and code, so that a ceiling is met early rather than late."""
Json = Mapping[str, Any]


class Task(StrEnum):
    """What the small model is asked for; each can be switched off."""

    VERIFY = "verify"
    EXTRACT = "extract"
    CLASSIFY = "classify"
    RELATE = "relate"
    NAME = "name"
    GAPS = "gaps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request: what is to be done, on which text, and the form of the answer."""

    task: Task
    system: str
    text: str
    schema: Json
    most_tokens: int = 600
    """The longest answer."""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes with its longest answer."""
        sent = len(self.system) + len(self.text) + len(str(self.schema))
        return int(sent / CHARACTERS_PER_TOKEN) + self.most_tokens


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A request with the code that checks the answer: nothing of it is taken on trust."""

    ask: Ask
    checked: Callable[[Json], T]
    """What of an answer holds; raises `Unusable` where it has not the form that was asked for."""


MAX_COUNT, MAX_DOLLARS = 10_000_000, 1_000.0
"""Of one answer; who says more counts something else."""


def counted(value: object) -> int:
    """A number of tokens as it was told; 0 where it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return int(value) if 0 <= value <= MAX_COUNT else 0


def dollars_in(value: object) -> float | None:
    """A price as it was told; None where it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= MAX_DOLLARS else None


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as it came."""

    text: str
    tokens_in: int
    tokens_out: int
    dollars: float | None = None
    """What it cost, where the model says so itself."""


class Unusable(Exception):
    """An answer is not what was asked for; it says why, without the answer's words."""


class SmallModel(Protocol):
    """Whoever answers."""

    @property
    def name(self) -> str:
        """The model, as its server or program calls it."""

    @property
    def where(self) -> str:
        """The address or the program."""

    @property
    def leaves_machine(self) -> bool:
        """Whether what is asked is sent to another machine."""

    def ask(self, ask: Ask) -> Said:
        """The answer, unchecked; raises `ModelFailed`."""
