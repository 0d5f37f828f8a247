"""What one statement changes in another: the frame they share and the value that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.align import Span, shared_start, spans
from loremap.lifecycle.statement.keys import ALTERNATIVES, OPPOSITES
from loremap.lifecycle.statement.meaning import Meaning
from loremap.lifecycle.statement.place import clause_of, is_imperative
from loremap.lifecycle.statement.role import Change, Contrast, is_another, is_empty, replacement
from loremap.lifecycle.statement.tokens import Sort

_WORDS = frozenset({Sort.WORD, Sort.NAME, Sort.LIGHT})
_ENOUGH = 0.6
"""The share of the shorter statement's words that must return for a change of it."""
_HALF = 0.5
_MAX_TAIL = 6
_POLAR = frozenset({"§not", "§without"})
_NONE: frozenset[int] = frozenset()


def change_between(old: Meaning, new: Meaning) -> Change | None:
    """What `new` changes in `old`, or None when it is another statement."""
    words = _words_apart(old, new)
    plain = not words[0] and not words[1]
    shared = _shared(old, new)
    if not shared and not plain and not _contrast(words, old, new).opposed:
        return None
    if words[0] and words[1]:
        return _substituted(old, new, shared=shared, words=words)
    if shared < _ENOUGH and not plain:
        return None
    if any(_apart(old, new, Sort.NUMBER)):
        return _number_changed(old, new, plain=plain)
    if any(_apart(old, new, Sort.MARK)):
        return _mark_changed(old, new, plain=plain)
    return Change("wording", specific=False) if plain else None


Apart = tuple[list[str], list[str]]


def _apart(old: Meaning, new: Meaning, sort: Sort) -> Apart:
    """The keys of one sort that only one statement has, for each."""
    return _of_sort(old, old.bag - new.bag, {sort}), _of_sort(new, new.bag - old.bag, {sort})


def _words_apart(old: Meaning, new: Meaning) -> Apart:
    return _of_sort(old, old.bag - new.bag, _WORDS), _of_sort(new, new.bag - old.bag, _WORDS)


def _of_sort(meaning: Meaning, only: Counter[str], sorts: Iterable[Sort]) -> list[str]:
    return [key for key in only if meaning.sorts[key] in sorts]


def _shared(old: Meaning, new: Meaning) -> float:
    """The share of the shorter statement's words that the other has too."""
    mine = {key for key in old.bag if old.sorts[key] in _WORDS}
    theirs = {key for key in new.bag if new.sorts[key] in _WORDS}
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def _said(keys: Sequence[str], meaning: Meaning) -> str:
    return " ".join(meaning.raws[key] for key in keys)


def _number_changed(old: Meaning, new: Meaning, *, plain: bool) -> Change | None:
    before, after = _apart(old, new, Sort.NUMBER)
    if any(_identifies(old, span) for span in _replaced_spans(old, new)):
        return None
    if not plain and _scopes(old) != _scopes(new):  # "60 seconds", "60 seconds in staging"
        return None
    reason = f"number: {_said(before, old) or 'none'} → {_said(after, new) or 'none'}"
    if not before or not after:
        return Change(reason, specific=False) if plain else None
    single = len(before) == len(after) == 1 and not any(_apart(old, new, Sort.MARK))
    return Change(reason, specific=single and _added_last(old, new))


def _mark_changed(old: Meaning, new: Meaning, *, plain: bool) -> Change:
    before, after = _apart(old, new, Sort.MARK)
    label = "scope" if _POLAR.isdisjoint((*before, *after)) else "polarity"
    reason = f"{label}: {_said(before, old) or 'none'} → {_said(after, new) or 'none'}"
    return Change(reason, specific=plain and label == "polarity")


def _scopes(meaning: Meaning) -> int:
    return sum(word in lexicon.SCOPES for word in meaning.surface)


def _identifies(meaning: Meaning, span: Span) -> bool:
    """Whether a changed number is the name of what it follows: `issue 12`, `service 2 listens`."""
    if not span.at or not span.old[0].isdecimal():
        return False
    words, noun = meaning.surface, meaning.surface[span.at - 1]
    if noun.rstrip("s") in lexicon.IDENTIFYING:
        return True
    clause = clause_of(meaning)
    if clause is not None:
        defines = clause.verb in lexicon.COPULAS and not lexicon.ATTRIBUTES.isdisjoint(
            words[clause.last :]
        )
        return span.end <= clause.first and not defines  # "TLS 1 is the minimum"
    following = "".join(words[span.end : span.end + 1])
    return span.at == 1 and following.endswith("s") and following not in lexicon.UNITS


def _added_last(old: Meaning, new: Meaning) -> bool:
    """Whether every word that was merely added or left out stands after the changed value."""
    differences = spans(old.surface, new.surface, is_empty=is_empty)
    valued = [span for span in differences if span.old and span.new]
    return bool(valued) and all(
        span.at >= valued[0].at or is_empty(span.old + span.new) for span in differences
    )


def nearly_equal(old: Meaning, new: Meaning) -> Change | None:
    """The unclear change of statements whose meaning is known to be close, or None."""
    words = _words_apart(old, new)
    if not (words[0] and words[1]) or _shared(old, new) < _ENOUGH or _elsewhere(old, new):
        return None
    return Change(f"value: {_said(words[0], old)} → {_said(words[1], new)}", specific=False)


def _substituted(old: Meaning, new: Meaning, *, shared: float, words: Apart) -> Change | None:
    """The change where each side has words the other lacks."""
    marks = _apart(old, new, Sort.MARK)
    contrast = _contrast(words, old, new)
    replaced = _replaced_spans(old, new)
    if not any(marks):
        if len(replaced) == 1 and len(_told_spans(old, new)) == 1:
            return _replaced(old, replaced[0], shared=shared, contrast=contrast)
        if change := _tail_changed(old, new):
            return change
    told = _says_so(new) or _denies(old, new, marks[0]) or _denies(new, old, marks[1])
    opposed = (contrast.opposed or contrast.alike) and not _elsewhere(old, new)
    if shared < _ENOUGH or not (told or opposed):
        return None
    return Change(f"value: {_said(words[0], old)} → {_said(words[1], new)}", specific=False)


def _denies(one: Meaning, other: Meaning, marks: Sequence[str]) -> bool:
    """Whether a negation that only `one` has is of something that both speak of.

    "A warning fails the tests" denies nothing of "Tests live in tests/": what it negates is the
    success of a warning, which the other does not mention. In languages whose verbs are inflected
    more than their stems tell, every negation counts.
    """
    if _POLAR.isdisjoint(marks) or one.language != "en":
        return not _POLAR.isdisjoint(marks)
    tokens = [token for token in one.tokens if token.sort is not Sort.GHOST]
    return any(
        near.sort in _WORDS and near.key in other.bag
        for at, token in enumerate(tokens)
        if token.key in _POLAR and token.key in marks
        for near in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
    )


def _told_spans(old: Meaning, new: Meaning) -> list[Span]:
    """Where the two differ by more than empty words."""
    return [
        span
        for span in spans(old.surface, new.surface, is_empty=is_empty)
        if not is_empty(span.old + span.new)
    ]


def _replaced_spans(old: Meaning, new: Meaning) -> list[Span]:
    """Where words of the old one gave way to others."""
    return [
        span for span in _told_spans(old, new) if not (is_empty(span.old) or is_empty(span.new))
    ]


def _elsewhere(old: Meaning, new: Meaning) -> bool:
    """Whether a part that differs makes them two statements."""
    if old.language != "en":
        return False
    clause = clause_of(old)
    return any(is_another(clause, span) for span in _replaced_spans(old, new))


def _replaced(old: Meaning, span: Span, *, shared: float, contrast: Contrast) -> Change | None:
    if old.language == "en":
        return replacement(old, span, contrast=contrast)
    reason = f"value: {' '.join(span.old)} → {' '.join(span.new)}"
    return Change(reason, specific=False) if shared >= _HALF else None


def _tail_changed(old: Meaning, new: Meaning) -> Change | None:
    """The change where a statement keeps subject and predicate and ends in other words."""
    start = shared_start(old.surface, new.surface)
    span = Span(old.surface[start:], new.surface[start:], start, len(old.surface))
    if (
        is_imperative(old)
        or not (span.old and span.new)
        or max(len(span.old), len(span.new)) > _MAX_TAIL
        or any(word in lexicon.AUXILIARIES for word in (*span.old, *span.new))
    ):
        return None
    change = replacement(old, span, contrast=Contrast())
    return change if change is not None and change.specific else None


def _contrast(words: Apart, old: Meaning, new: Meaning) -> Contrast:
    """How two leftovers exclude each other: as opposites, or as members of one class."""
    pairs = [(left, right) for left in words[0] for right in words[1]]
    return Contrast(
        opposed=any(
            OPPOSITES.get(left, _NONE) & OPPOSITES.get(right, _NONE)
            or _prefixed(old.raws[left].casefold(), new.raws[right].casefold())
            for left, right in pairs
        ),
        alike=any(
            ALTERNATIVES.get(left, _NONE) & ALTERNATIVES.get(right, _NONE) for left, right in pairs
        ),
    )


def _prefixed(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    return len(short) > 3 and long.endswith(short) and long[: -len(short)] in lexicon.PREFIXES


def _says_so(new: Meaning) -> bool:
    return not lexicon.CHANGE_WORDS.isdisjoint(new.surface)
