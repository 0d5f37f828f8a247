"""Whether a new statement says what a stored one says, surely takes its place, surely cannot hold
beside it, or is anything else.

Only what is unmistakable is decided here. Everything else is kept, and its writer is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from loremap.memory.admission import marks
from loremap.memory.admission.marked import change_marked
from loremap.memory.admission.statement import NUMBER, Token, keys_of, quoted, tokens_of
from loremap.model.words import plain

MAX_CHARS = 2_048
"""A longer text is an article, not a statement; it is compared by its fingerprint only."""
_NEGATING = marks.NEGATIONS | marks.UNIVERSAL


class Verdict(StrEnum):
    """How a new statement stands to a stored one."""

    SAME = "same"
    REPLACES = "replaces"
    OPPOSED = "opposed"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict, and the words it rests on."""

    verdict: Verdict
    reason: str = ""


def compared(old: str, new: str, *, one_setting: bool = False) -> Comparison:
    """How `new` stands to `old`; in doubt it is another statement. With `one_setting` both are
    what one settings file says, where a number that alone differs has changed."""
    if max(len(old), len(new)) > MAX_CHARS:
        return Comparison(Verdict.OTHER)
    before, after = tokens_of(old), tokens_of(new)
    if len(before) < 2 or len(after) < 2:
        return Comparison(Verdict.OTHER)
    if _repeats(keys_of(before), keys_of(after)):
        return Comparison(Verdict.SAME)
    reason = (
        _revised(before, after, one_setting) or _denied(before, after) or change_marked(old, new)
    )
    if reason and before[0].raw.casefold() not in marks.POINTING:
        return Comparison(Verdict.REPLACES, reason)
    opposed = _only_difference(before, after) or _only_difference(
        *map(_without_ways, (before, after))
    )
    if opposed and frozenset(one.raw.casefold() for one in opposed) in marks.OPPOSITES:
        return Comparison(Verdict.OPPOSED, quoted(*(one.raw for one in opposed)))
    return Comparison(Verdict.OTHER)


def _repeats(old: list[str], new: list[str]) -> bool:
    """Whether both are the same words in the same order, or one phrase of it moved to the front:
    "before a push run lint", "run lint before a push"."""
    if old == new:
        return True
    if len(old) != len(new) or len(old) < 3:
        return False
    return any(old[at:] + old[:at] == new for at in range(1, len(old)))


def _only_difference(old: Sequence[Token], new: Sequence[Token]) -> tuple[Token, Token] | None:
    """The one place in which two otherwise equal statements differ."""
    if len(old) != len(new):
        return None
    apart = [(one, other) for one, other in zip(old, new, strict=True) if one.key != other.key]
    if not apart or len({(one.key, other.key) for one, other in apart}) > 1:
        return None
    return apart[0]


def _without_ways(tokens: Sequence[Token]) -> list[Token]:
    return [one for one in tokens if one.raw.casefold() not in marks.WAYS]


def _revised(old: Sequence[Token], new: Sequence[Token], one_setting: bool) -> str:
    """The number or version that alone has changed, if that is what the statement is for."""
    if len(old) != len(new):
        return ""
    apart = [at for at, one in enumerate(old) if one.key != new[at].key]
    changed = {(_digits(old[at].key), _digits(new[at].key)) for at in apart}
    if len(changed) != 1 or not (one_setting or _is_value(new, apart[0])):
        return ""
    if not all(NUMBER.fullmatch(one[at].raw) for one in (old, new) for at in apart):
        return ""
    return f"“{old[apart[0]].raw}” → “{new[apart[0]].raw}”"


def _digits(key: str) -> str:
    return re.sub(r"[^\d.:]", "", key)


def _is_value(tokens: Sequence[Token], at: int) -> bool:
    """Whether the number there is what is said of the subject, and not its name: "waits 30 s" and
    "is MySQL 8", but neither "Node 18 is supported" nor "listens on port 80"."""
    token = tokens[at]
    if at == 0:
        return False
    version = token.raw[:1] in "vV" or re.search(r"\d\.\d", token.raw)
    if "=" in token.raw or token.before in marks.COPULAS:
        return True
    if any(one.raw in marks.BOUNDS for one in tokens[at + 1 : at + 3]):
        return True
    if at >= 2 and tokens[at - 1].before in marks.COPULAS and tokens[at - 1].raw[:1].isupper():
        return True  # is MySQL 8
    measured = at + 1 < len(tokens) and tokens[at + 1].before == plain(token.raw)
    if token.before in marks.VALUE_AFTER:
        return measured or not version
    if token.before in marks.PLACE_AFTER:
        return _is_limit(tokens, at)
    return at >= 2 and measured and _counts(tokens[at + 1]) and not tokens[at - 1].raw[:1].isupper()


def _is_limit(tokens: Sequence[Token], at: int) -> bool:
    """Whether something is limited, capped or fixed at that number, and no time or share of it."""
    if at < 2 or not set(tokens[at].raw).isdisjoint(":%") or tokens[at].before != "at":
        return False
    verb = tokens[at - 2]
    unit = tokens[at + 1].key if at + 1 < len(tokens) else ""
    return verb.key.endswith("+") and verb.before in marks.COPULAS and unit != "%"


def _counts(token: Token) -> bool:
    """Whether it can be what a number counts: a unit, or a noun in the plural."""
    return token.key in marks.UNITS or token.raw.casefold().endswith("s")


def _denied(old: Sequence[Token], new: Sequence[Token]) -> str:
    """The negation that alone has come or gone."""
    first, second = ([one for one in tokens if not _negates(one)] for tokens in (old, new))
    if keys_of(first) != keys_of(second):
        return ""
    lengths = [sum(one.raw.casefold() in marks.NEGATIONS for one in each) for each in (old, new)]
    if sorted(lengths) != [0, 1]:
        return ""
    (negation,) = (one.raw for one in (*old, *new) if one.raw.casefold() in marks.NEGATIONS)
    return f"“{negation}”" + (" has gone" if lengths[0] else " has come")


def _negates(token: Token) -> bool:
    return token.raw.casefold() in _NEGATING
