"""What a memory's word is worth apart from the question: who said it, how sure, of what kind, how
long ago, and whether it is about a file in hand; how that is blended with what words and vectors
say, what a question says of a time, and what else its words are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loremap.memory.recall.context import Context, Slots
from loremap.model.clock import to_ms
from loremap.model.kind import INFERRED_HALF_LIFE_DAYS, RULES, Kind
from loremap.model.memory import Status
from loremap.model.text import HEAD_CHARS
from loremap.model.words import words
from loremap.storage import memories
from loremap.storage.warm import STATUS_CODE

CANDIDATE = 0.85
"""What the word of a memory counts for that nobody has confirmed."""
CONFIDENCE_SHARE = 0.1
"""What a memory loses that nobody believes any more."""
KIND_POWER = 0.1
"""Seed-004's weight of a kind multiplies its score there; a question is about any kind."""
IN_HAND, BESIDE_IT = 0.5, 0.2
"""What a memory gains that names a file in hand, or one in the same folder: shares of the best."""
MAX_RECENCY = 1.5
"""The recency boost of what is used just now."""
DAY_MS = 86_400_000

HALF_LIVES = np.asarray([RULES[kind].half_life_days or np.inf for kind in Kind])
"""Half-life of each kind in days, by its code."""
_WEIGHTS = np.asarray([RULES[kind].weight for kind in Kind])
_HEAVIEST = float(_WEIGHTS.max())
_CANDIDATE = STATUS_CODE[Status.CANDIDATE.value]


def worth(context: Context, slots: Slots, *, use_confidence: bool = True) -> Numbers:
    """What each memory's word is worth, 1 at the most."""
    # Within an hour nothing fades visibly.
    hour = f"worth at {context.query.now:%Y-%m-%d %H} {use_confidence}"
    return context.derived(hour, lambda: _worth(context, slots, CONFIDENCE_SHARE * use_confidence))


def recency(context: Context, slots: Slots) -> Numbers:
    """`model.decay.recency_boost` of many memories, as a share of the most there is."""
    hours = _idle_days(context, slots) * 24
    boost = 1 + context.warm["recency_weight"][slots] * 0.5 * np.exp(-hours / 24)
    found: Numbers = boost / MAX_RECENCY
    return found


def _worth(context: Context, slots: Slots, confidence_share: float) -> Numbers:
    warm = context.warm
    candidate = warm["status"][slots] == _CANDIDATE
    kind = _WEIGHTS[warm["kind"][slots]] / _HEAVIEST
    sure = confidence(
        warm["confidence"][slots],
        trust=warm["trust"][slots],
        idle_days=_idle_days(context, slots),
        half_life_days=_half_lives(context, slots, candidate),
        used=warm["access_count"][slots],
    )
    found: Numbers = (
        np.where(candidate, CANDIDATE, 1.0)
        * (1 - confidence_share + confidence_share * sure)
        * kind**KIND_POWER
    )
    return found


def confidence(
    stored: Numbers, *, trust: Numbers, idle_days: Numbers, half_life_days: Numbers, used: Numbers
) -> Numbers:
    """`model.decay.effective_confidence` of many memories."""
    left = 0.5 ** (idle_days / half_life_days)
    sure: Numbers = np.minimum(1.0, stored * left * (1 + 0.1 * np.log(used + 1)) * trust)
    return sure


def _idle_days(context: Context, slots: Slots) -> Numbers:
    idle = to_ms(context.query.now) - context.warm["last_accessed_at"][slots]
    days: Numbers = np.maximum(idle, 0) / DAY_MS
    return days


def _half_lives(context: Context, slots: Slots, candidate: Numbers) -> Numbers:
    warm = context.warm
    own = HALF_LIVES[warm["kind"][slots]]
    inferred = candidate.astype(np.bool_) & (warm["trust"][slots] < 1.0)
    lives = np.where(inferred, np.minimum(own, INFERRED_HALF_LIFE_DAYS), own)
    found: Numbers = np.where(warm["pinned"][slots], np.inf, lives)
    return found


def in_hand(context: Context, slots: Slots) -> Numbers:
    """What each memory gains for naming a file in hand or its folder, as a share of the best."""
    files = context.query.files
    gained = np.zeros(context.warm.size)
    if not files:
        return gained[slots]
    folders = {path.rpartition("/")[0] for path in files} - {""}
    for row, path in memories.rows_naming(context.conn, files=files, folders=folders):
        slot = int(context.warm.slots_of(np.asarray([row], np.int64))[0])
        if slot >= 0:
            gained[slot] = max(gained[slot], IN_HAND if path in files else BESIDE_IT)
    return gained[slots]


Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

WORDS_OF_STATEMENTS, WORDS_OF_TALK, WORDS_OF_CODE = 2.0, 5.0, 0.5
"""What words that cover the whole query count for, beside 1 for the nearest vector: statements and
long texts are asked about in other words, short talk by its names, code by what it does. Fitted
with granite-30m on coding-dev and beam-dev, on locomo-dev, and on CoSQA."""
FEW = 1
"""So many unrelated memories are added to those of the store, for what is average: of two that fit
the second is not far."""
CONTEXT = (0.3, 0.2)
"""Share of the score of the first and of the second neighbour on each side."""
MAX_GIVEN = 3
"""An answer ends at the largest fall of the scores among so many."""
NEARLY = 0.8
"""The share of the best score from which another is as good."""


def words_weight(*, talk_share: float, code_share: float) -> float:
    """The weight of words, by the kind of text that lies nearest."""
    statements = 1.0 - talk_share - code_share
    return (
        statements * WORDS_OF_STATEMENTS
        + talk_share * WORDS_OF_TALK
        + code_share * WORDS_OF_CODE
    )  # fmt: skip


def blended(dense: Numbers, said: Numbers, *, weight: float, usual: float) -> Numbers:
    """One score a memory: an average memory is 0, the nearest is 1, and words add to it by how much
    of the query they cover."""
    mean = min(float(dense.sum() + FEW * usual) / (len(dense) + FEW), float(dense.max()) - 1e-6)
    score: Numbers = (dense - mean) / (dense.max() - mean) + weight * said
    return score


def context_share(characters: Places) -> Numbers:
    """How much a text needs its context: wholly up to 300 characters, less the longer it is."""
    share: Numbers = np.clip(HEAD_CHARS / np.maximum(characters, 1), 0.0, 1.0)
    return share


def with_context(scores: Numbers, *, before: Places, after: Places, share: Numbers) -> Numbers:
    """Scores with a part of what was said just before and after in the same session.

    `before` and `after` are the places of the neighbours, −1 if there is none.
    """
    padded = np.append(scores.clip(0.0), 0.0)  # place −1: no neighbour, nothing to add
    back, on = np.append(before, -1), np.append(after, -1)
    left, right = before, after
    gained = np.zeros_like(scores)
    for part in CONTEXT:
        gained += part * (padded[left] + padded[right])
        left, right = back[left], on[right]
    raised: Numbers = scores + share * gained
    return raised


def neighbours(sessions: Places, at: Places) -> tuple[Places, Places]:
    """The places of what was said just before and just after, in the same session; −1 for none.

    A session of −1 is no session.
    """
    order = np.lexsort((at, sessions))
    same = (sessions[order][1:] == sessions[order][:-1]) & (sessions[order][1:] >= 0)
    before, after = np.full(len(order), -1, np.int64), np.full(len(order), -1, np.int64)
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def weighed(scores: Numbers, worth: Numbers) -> Numbers:
    """Scores less what their standing takes from them; what is below average stays as it is."""
    less: Numbers = scores - (1 - worth) * scores.clip(0.0)
    return less


def weight_applied(score: float, worth: float) -> float:
    """The same for one score."""
    return score - (1 - worth) * max(score, 0.0)


def given(scores: Sequence[float]) -> int:
    """How many of the best are an answer: those before the largest fall among the first three, and
    those of the three that score nearly as much as the best."""
    head = scores[: MAX_GIVEN + 1]
    falls = [above - below for above, below in pairwise(head)]
    if 0 < len(head) <= MAX_GIVEN:
        falls.append(max(head[-1], 0.0))  # below the last there is nothing
    before = falls.index(max(falls)) + 1 if falls else 0
    nearly = sum(score >= NEARLY * head[0] for score in head[:MAX_GIVEN])
    return max(before, nearly)


SAME_MONTH, SAME_DAY = 0.3, 0.3

MONTHS = (
    "january february march april may june july august september october november december".split()
)
_ALSO_WORDS = frozenset({"may", "march", "mar", "dec", "jan", "jun", "sep", "august"})
_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS) + "|sept"
_DATE = re.compile(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_NAMES})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+((?:19|20)\d\d))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """A month, with its year and day where they are named."""

    month: int
    year: int | None = None
    day: int | None = None


def named_time(query: str) -> When | None:
    """The first date in `query` that names a month; a month's name that is also a word needs a
    number beside it."""
    for before, month, after, year in _DATE.findall(query):
        if not (before or after or year) and month.lower() in _ALSO_WORDS:
            continue
        day = int(before or after or 0)
        return When(
            month=next(
                number
                for number, name in enumerate(MONTHS, 1)
                if name.startswith(month.lower()[:3])
            ),
            year=int(year) if year else None,
            day=day if 1 <= day <= 31 else None,
        )
    return None


def time_bonus(at_ms: NDArray[np.int64], when: When) -> NDArray[np.float64]:
    """What each memory gains for being of the time asked for (UTC)."""
    at = at_ms.astype("datetime64[ms]")
    months = at.astype("datetime64[M]")
    same = months.astype(np.int64) % 12 + 1 == when.month
    if when.year is not None:
        same &= at.astype("datetime64[Y]").astype(np.int64) + 1970 == when.year
    bonus = SAME_MONTH * same
    if when.day is not None:
        days = (at.astype("datetime64[D]") - months).astype(np.int64) + 1
        bonus = bonus + SAME_DAY * (same & (days == when.day))
    gained: NDArray[np.float64] = bonus
    return gained


DEFAULT_ALIASES: dict[str, tuple[str, ...]] = {
    "auth": ("authentication", "authorization", "login", "oauth", "jwt"),
    "db": ("database", "sql", "postgres", "sqlite", "mysql"),
    "api": ("endpoint", "route", "rest", "graphql"),
    "config": ("configuration", "settings", "env"),
    "ci": ("pipeline", "workflow", "continuous integration"),
    "test": ("tests", "testing", "spec", "pytest", "jest"),
    "deploy": ("deployment", "release", "rollout", "ship"),
    "deps": ("dependencies", "dependency", "packages"),
    "repo": ("repository",),
    "docs": ("documentation", "readme"),
    "perf": ("performance", "slow", "latency"),
    "ui": ("frontend", "interface", "component"),
    "k8s": ("kubernetes",),
    "env": ("environment",),
    "ts": ("typescript",),
    "js": ("javascript",),
    "py": ("python",),
    "pr": ("pull request", "merge request"),
    "err": ("error", "exception"),
    "msg": ("message",),
}


def expanded(terms: Sequence[str], aliases: Mapping[str, Iterable[str]]) -> list[str]:
    """Further index terms that stand for any of `terms`, not `terms` themselves."""
    groups = _grouped(tuple((key, *others) for key, others in aliases.items()))
    found: dict[str, None] = {}
    for term in terms:
        for key, group in groups:
            if term in key or (term in group and len(group) < 4):
                found |= dict.fromkeys(sorted(group))
    return [term for term in found if term not in terms]


@lru_cache(maxsize=8)
def _grouped(aliases: tuple[tuple[str, ...], ...]) -> list[tuple[set[str], set[str]]]:
    """The words of each key, and those of all that it stands for."""
    return [
        (set(words(names[0])), {word for name in names for word in words(name)})
        for names in aliases
    ]
