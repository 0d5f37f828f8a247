"""What memory saved of looking for files, by a careful rule over what sessions did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

DEFAULT_COST_TOKENS = 400.0
"""What finding a file costs where nothing was measured yet: two searches with short results."""
FEWEST_SESSIONS = 5
"""From fewer sessions nothing is concluded."""


class CostSource(StrEnum):
    """Where the cost of finding a file was taken from."""

    HOLD_OUT = "measured in this project's hold-out sessions"
    WITHOUT = "measured in sessions that were given nothing"
    DEFAULT = "a careful guess, as too few sessions without memory were seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing a session did, as far as finding files goes."""

    at: datetime
    searched: bool = False
    opened: tuple[str, ...] = ()
    """Files read or edited, as the project names them."""
    edited: bool = False
    tokens: int = 0
    """About what came back took of the context."""
    told: str = ""
    """What named files to the agent: the result of a search, or what the person said."""
    whole: bool = True
    """Whether `told` is all of it; what was not kept may have named any file."""


@dataclass(frozen=True, slots=True)
class Named:
    """Files that an injection named."""

    at: datetime
    files: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cost:
    """What finding one file costs, and how that is known."""

    tokens: float = DEFAULT_COST_TOKENS
    source: CostSource = CostSource.DEFAULT


def files_found(steps: Sequence[Step], named: Sequence[Named]) -> tuple[str, ...]:
    """The files a session opened because memory had named them: named before they were first
    opened, and not before by a search or by the person."""
    since = _first_named(named)
    found: list[str] = []
    opened: set[str] = set()
    told: list[str] = []
    unseen = False
    for step in steps:
        fresh = [path for path in step.opened if path not in opened]
        opened.update(fresh)
        named_before = [path for path in fresh if path in since and since[path] <= step.at]
        if not unseen:
            found += [p for p in named_before if not any(names_file(text, p) for text in told)]
        told.append(step.told)
        unseen = unseen or not step.whole
    return tuple(found)


def names_file(text: str, path: str) -> bool:
    """Whether a text names a file, by its path or its name alone."""
    name = path.rpartition("/")[2]
    return bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _first_named(named: Iterable[Named]) -> dict[str, datetime]:
    since: dict[str, datetime] = {}
    for one in sorted(named, key=lambda each: each.at):
        for path in one.files:
            since.setdefault(path, one.at)
    return since


def cost_of(sessions: Sequence[Sequence[Step]]) -> float | None:
    """The mean tokens of search results per file that was then opened; None where the sessions
    are too few or show none."""
    if len(sessions) < FEWEST_SESSIONS:
        return None
    spent = opened = 0
    for steps in sessions:
        searched = False
        found: set[str] = set()
        for step in steps:
            found |= set(step.opened) if searched else set()
            searched = searched or step.searched
            spent += step.tokens if step.searched else 0
        opened += len(found)
    return spent / opened if opened and spent else None


def cost_from(hold_out: Sequence[Sequence[Step]], without: Sequence[Sequence[Step]]) -> Cost:
    """What finding a file costs, by the best evidence there is."""
    for sessions, source in ((hold_out, CostSource.HOLD_OUT), (without, CostSource.WITHOUT)):
        tokens = cost_of(sessions)
        if tokens is not None:
            return Cost(tokens, source)
    return Cost()


def discovery_tokens(steps: Sequence[Step]) -> int:
    """What searching and reading took before the first edit."""
    spent = 0
    for step in steps:
        if step.edited:
            break
        spent += step.tokens if step.searched or step.opened else 0
    return spent


def explored(steps: Sequence[Step]) -> bool:
    """Whether a session searched or opened anything."""
    return any(step.searched or step.opened for step in steps)
