"""Whether a new statement repeats a stored one, changes it, or is about something else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from loremap.lifecycle.lexicon import HOLDING
from loremap.lifecycle.statement.frame import change_between, nearly_equal
from loremap.lifecycle.statement.meaning import MAX_CHARS, Meaning, meaning_of
from loremap.lifecycle.statement.order import reordered
from loremap.lifecycle.statement.tokens import Sort
from loremap.model.words import stem

_STRONG = frozenset({Sort.NUMBER, Sort.NAME, Sort.MARK})
_TENSES_APART = ({"past", "present"}, {"past", ""}, {"future", "past"}, {"future", "perfect"})
_TIES_APART = (("§with", "§for"), ("§for", "§against"), ("§to", "§via"), ("§to", "§through"))
_UNLIKE = 0.3
"""Below this cosine equal words are a coincidence of short texts."""


class Likeness(StrEnum):
    """How a new statement stands to a stored one."""

    SAME = "same"
    CHANGED = "changed"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on two statements and the difference it rests on.

    `specific` is for CHANGED only: one clear value of the same subject and predicate changed, so
    the newer statement may replace the older without asking.
    """

    likeness: Likeness
    reason: str
    specific: bool = False


def compared(
    old: str,
    new: str,
    *,
    similarity: float | None,
    same_kind: bool = True,
    shared_files: bool = False,
    threshold: float = 0.92,
) -> Comparison:
    """Whether `new` repeats `old`, changes it or is unrelated; in doubt never a repetition.

    From `threshold` on, another word is taken for a change even where no rule sees its value.
    """
    if old == new:
        return Comparison(Likeness.SAME, "the same text")
    before, after = meaning_of(old), meaning_of(new)
    if not before.bag or not after.bag or old[MAX_CHARS:] != new[MAX_CHARS:]:
        return Comparison(Likeness.DIFFERENT, "not comparable")
    if _repeats(before, after):
        if similarity is not None and similarity < _UNLIKE:
            return Comparison(Likeness.DIFFERENT, "unlike in meaning")
        if reordered(before, after):
            return Comparison(Likeness.CHANGED, "order", specific=True)
        return Comparison(Likeness.SAME, "paraphrase")
    change = change_between(before, after)
    if change is None and similarity is not None and similarity >= threshold:
        change = nearly_equal(before, after)
    if change is None or not (change.specific or same_kind or shared_files):
        return Comparison(Likeness.DIFFERENT, "another statement")
    return Comparison(Likeness.CHANGED, change.reason, specific=change.specific)


def _repeats(old: Meaning, new: Meaning) -> bool:
    """Whether nothing but weightless words stands on one side only."""
    only_old, only_new = _leftovers(old, new)
    if _weighty(only_old, old, new) or _weighty(only_new, new, old):
        return False
    if only_old and only_new:  # one class noun for another: "the users table", "… endpoint"
        return False
    return not _told_apart(old, new) and _negations_agree(old, new)


def _leftovers(old: Meaning, new: Meaning) -> tuple[Counter[str], Counter[str]]:
    """What stands on one side only, once compounds and repetitions are settled."""
    only_old, only_new = old.bag - new.bag, new.bag - old.bag
    if only_old and only_new:
        _settle_compounds(old, new, only_old, only_new)
        _settle_compounds(new, old, only_new, only_old)
    said_old, said_new = _unrepeated(only_old, old, new), _unrepeated(only_new, new, old)
    both_repeat = len(said_old) < len(only_old) and len(said_new) < len(only_new)
    return (only_old, only_new) if both_repeat else (said_old, said_new)


def _settle_compounds(
    whole: Meaning, split: Meaning, ones: Counter[str], parts: Counter[str]
) -> None:
    """Takes `bugfix` and `bug fix` out of the leftovers."""
    for key in [key for key in ones if whole.sorts[key] is Sort.WORD]:
        spelt = whole.raws[key].casefold()
        for left, right in pairwise(split.tokens):
            joined = (left.raw + right.raw).casefold()
            if joined in (spelt, spelt + "s", spelt.removesuffix("s")):
                del ones[key]
                parts -= Counter((left.key, right.key))
                break


def _unrepeated(only: Counter[str], mine: Meaning, other: Meaning) -> Counter[str]:
    """Without words the other says too, only less often, and words a name of mine contains."""
    names = [token.raw.casefold() for token in mine.tokens if token.sort is Sort.NAME]
    return Counter(
        {
            key: count
            for key, count in only.items()
            if mine.sorts[key] in _STRONG
            or not (key in other.bag or any(len(key) > 2 and key in name for name in names))
        }
    )


def _weighty(only: Counter[str], mine: Meaning, other: Meaning) -> bool:
    """Whether a leftover is one without which the statement would say something else."""
    return any(
        mine.sorts[key] is not Sort.LIGHT
        and not (key == "§first" and not mine.bag.keys().isdisjoint({"ask", "§seq"}))
        and not (key == "§from" and "§to" not in other.ghosts - mine.ghosts)
        for key in only
    )


def _told_apart(old: Meaning, new: Meaning) -> bool:
    """Whether tense, modality, speaker or a preposition differ where both are said."""
    duties = {meaning.ghosts & {"§must", "§should"} for meaning in (old, new)} - {frozenset()}
    return (
        {old.tense, new.tense} in _TENSES_APART
        or _foretold(old, new)
        or _foretold(new, old)
        or len(duties) > 1
        or {old.speaker, new.speaker} == {"i", "me"}
        or _opened_apart(old, new)
        or _roles_apart(old, new)
        or _tied_apart(old, new)
    )


def _foretold(first: Meaning, second: Meaning) -> bool:
    """Whether what will happen by the one has happened by the other: will skip, skipped."""
    if first.tense != "future" or second.tense == "future":
        return False
    verbs = {stem(after) for word, after in pairwise(first.surface) if word == "will"}
    return any(word.endswith("ed") and stem(word) in verbs for word in second.surface)


def _opened_apart(old: Meaning, new: Meaning) -> bool:
    """Whether both begin with an empty imperative, of another kind: keep it, run it."""
    first, second = HOLDING.get(old.opening), HOLDING.get(new.opening)
    return first is not None and second is not None and first != second


def _roles_apart(old: Meaning, new: Meaning) -> bool:
    """Whether a number is for a time in one and every time, or until it, in the other."""
    for key in old.roles.keys() & new.roles.keys():
        first, second = old.roles[key], new.roles[key]
        if ("every" in first) != ("every" in second):
            return True
        if first and second and first.isdisjoint(second):
            return True
    return False


def _tied_apart(old: Meaning, new: Meaning) -> bool:
    """Whether words in equal order are tied by another preposition: work with, work for."""
    for one, other in _TIES_APART:
        for left, right in ((old.ghosts, new.ghosts), (new.ghosts, old.ghosts)):
            if one in left - right and other in right - left:
                return _solid(old) == _solid(new)
    return False


def _solid(meaning: Meaning) -> list[str]:
    return [token.key for token in meaning.tokens if token.sort is not Sort.GHOST]


def _negations_agree(old: Meaning, new: Meaning) -> bool:
    """Whether each negation stands beside a word that a negation of the other stands beside."""
    if not old.bag["§not"]:
        return True
    first, second = _negated(old), _negated(new)
    return all(any(one & other for other in second) for one in first) and all(
        any(one & other for one in first) for other in second
    )


def _negated(meaning: Meaning) -> list[set[str]]:
    """For each negation the words beside it, those that occur once if there are such."""
    tokens = [token for token in meaning.tokens if token.sort is not Sort.GHOST]
    windows = []
    for at, token in enumerate(tokens):
        if token.key == "§not":
            reach = 1 if at + 1 < len(tokens) else 2  # a closing negation is of the whole clause
            near = (*tokens[max(0, at - reach) : at], *tokens[at + 1 : at + 2])
            beside = {other.key for other in near}
            windows.append({key for key in beside if meaning.bag[key] == 1} or beside or {""})
    return windows
