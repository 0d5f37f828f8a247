"""What a withdrawn statement is known by when its words are gone, and whether a new one is the same
lesson in other words.

Its words are kept as hashes under a key of the store: which it said, which it denied, its numbers
and its names. Near in meaning and in words it is the same lesson, unless it says another number or
name, denies what was said, or says itself that something has changed or is free to do.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate

from loremap.memory.admission import marks
from loremap.memory.admission.statement import expanded
from loremap.model.words import names_in, plain, words

FROM_WORDS = 2.0
"""How many deviations of similarity count as much as all words in common."""
SAME_LESSON = 6.4
"""From here on two statements teach the same: on the development half of the paraphrases those have
7.0 and more, neighbours on one subject 5.9 at most."""
LEAST_WORDS = 0.15
"""The share of its words that a statement must share at least, whatever its vector."""
BY_WORDS_ALONE = 0.6
"""The share of all words of both that must be common where there are no vectors to compare."""
TURNED, TURNED_SHARE = 4, 1.5
"""So many common words, and so many times those that stayed, must be denied by one statement and
said by the other, before that one is the contrary."""
ALL_TURNED = 3
"""Where none stayed, so many are enough."""
KEPT_ORDER, MAX_REPLACED = 0.5, 4
"""The share of words that two statements must keep in their places, and how many others one has
instead at the most, to be one sentence with another value."""
_DIGITS = 12
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SPAN = re.compile(r"`([^`\n]{1,80})`")
_CAPITAL = re.compile(r"(?<=[a-z0-9,;)`] )[A-Z][a-z]+\b")
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]+(?=s?\b)")

Hashed = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a statement is known by, as hashes."""

    order: tuple[str, ...] = ()
    """All words in their order."""
    said: frozenset[str] = field(default=frozenset())
    """Words of clauses that deny nothing."""
    denied: frozenset[str] = field(default=frozenset())
    """Words of clauses that deny something."""
    numbers: frozenset[str] = field(default=frozenset())
    openings: frozenset[str] = field(default=frozenset())
    """The numbers and their beginnings: 4, 4.2."""
    names: frozenset[str] = field(default=frozenset())
    known: frozenset[str] = field(default=frozenset())
    """The names, and every word as one."""
    changes: bool = False
    """Whether it says itself that something has changed."""
    releases: bool = False
    """Whether it says that something need not be done, or may be."""

    @property
    def words(self) -> frozenset[str]:
        """All its words."""
        return self.said | self.denied

    def record(self) -> dict[str, object]:
        """As it is stored."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self).items()
        } | {"order": list(self.order)}


def lesson_from(record: Mapping[str, object]) -> Lesson:
    """What `Lesson.record` has stored."""
    sets = {
        name: frozenset(value) if isinstance(value, list) else value
        for name, value in record.items()
    }
    order = record.get("order", ())
    return Lesson(**sets | {"order": tuple(order) if isinstance(order, list) else ()})  # type: ignore[arg-type]


def hashed_with(key: str) -> Hashed:
    """Hashes that nobody makes without the key."""
    secret = key.encode()

    def hashed(word: str) -> str:
        return hmac.new(secret, word.encode(), hashlib.sha256).hexdigest()[:_DIGITS]

    return hashed


def lesson_of(text: str, hashed: Hashed) -> Lesson:
    """What a statement is known by."""
    said, denied = _clauses(text)
    numbers, names = _numbers(text), _names(text)
    return Lesson(
        order=tuple(map(hashed, words(text))),
        said=_all(hashed, said),
        denied=_all(hashed, denied),
        numbers=_all(hashed, (f"number {one}" for one in numbers)),
        openings=_all(hashed, (f"number {start}" for one in numbers for start in _starts(one))),
        names=_all(hashed, (f"name {plain(one)}" for one in names)),
        known=_all(hashed, (f"name {plain(one)}" for one in (*names, *_raw_words(text)))),
        changes=_is_marked(text),
        releases=marks.RELEASES.search(expanded(text)) is not None,
    )


def shared(old: Lesson, new: Lesson) -> float:
    """The share of the old statement's words that the new one says too."""
    return len(old.words & new.words) / max(1, len(old.words))


def is_near(old: Lesson, new: Lesson, deviations: float | None) -> bool:
    """Whether two statements may teach the same; `deviations` is how far their vectors are nearer
    than those of unrelated texts, None where that is not known."""
    both = shared(old, new)
    if deviations is None:
        every = len(old.words | new.words)
        return len(old.words & new.words) >= BY_WORDS_ALONE * max(1, every)
    return both >= LEAST_WORDS and deviations + FROM_WORDS * both >= SAME_LESSON


def says_otherwise(old: Lesson, new: Lesson, text: str, hashed: Hashed) -> str:
    """Why `new`, whose words are `text`, says something else than `old` about the same thing; empty
    where nothing shows that it does."""
    strange = any(not _is_known(one, old, hashed) for one in _numbers(text))
    corrects = marks.OLD_VALUE_FOLLOWS.search(text) is not None  # 45 seconds, not 15
    if strange and (corrects or not old.numbers or not old.numbers <= new.openings):
        return "another number"
    strange = any(not _is_named(one, old, hashed) for one in _names(text))
    if strange and (not old.names or not old.names <= new.known):
        return "another name"
    if new.changes and not old.changes:
        return "a change"
    if new.releases and not old.releases:
        return "a release"
    if _is_opposed(old, new, hashed):
        return "the opposite"
    turned = _only(new.said, new.denied) & _only(old.denied, old.said)
    turned |= _only(new.denied, new.said) & _only(old.said, old.denied)
    stayed = _only(new.said, new.denied) & _only(old.said, old.denied)
    stayed |= _only(new.denied, new.said) & _only(old.denied, old.said)
    if len(turned) >= TURNED and len(turned) > TURNED_SHARE * len(stayed):
        return "the contrary"
    if len(turned) >= ALL_TURNED and not stayed:
        return "the contrary"
    return "another value" if _differs_in_one_place(old.order, new.order) else ""


def _differs_in_one_place(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether both are one sentence with something else in one place: who says a thing in other
    words hardly keeps all others where they are."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    replaced = (len(old) - start - end, len(new) - start - end)
    kept = (start + end) / max(1, len(old), len(new))
    return min(replaced) > 0 and max(replaced) <= MAX_REPLACED and kept >= KEPT_ORDER


def _only(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    return one - other


def _is_known(number: str, old: Lesson, hashed: Hashed) -> bool:
    """Whether a number is one of the old statement's, or says it more or less exactly."""
    return hashed(f"number {number}") in old.openings or any(
        hashed(f"number {start}") in old.numbers for start in _starts(number)
    )


def _is_named(name: str, old: Lesson, hashed: Hashed) -> bool:
    """Whether a name, or all its words, are in the old statement."""
    if hashed(f"name {plain(name)}") in old.known:
        return True
    parts = words(name)
    return bool(parts) and all(hashed(part) in old.words for part in parts)


def _numbers(text: str) -> list[str]:
    """The numbers in a text, small ones in words too."""
    words_too = re.sub(r"\w+", lambda word: marks.NUMERALS.get(word[0].lower(), word[0]), text)
    return _NUMBER.findall(_THOUSANDS.sub("", words_too))


def _names(text: str) -> set[str]:
    """The names in a text: of code, abbreviations, what is quoted as code, and words with a capital
    where none begins a sentence; where nouns have capitals, these tell nothing."""
    found = {*names_in(text), *_ACRONYM.findall(text), *_SPAN.findall(text)}
    return found if marks.CAPITAL_NOUNS.search(text) else found | set(_CAPITAL.findall(text))


def _is_opposed(old: Lesson, new: Lesson, hashed: Hashed) -> bool:
    """Whether one says a word, and the other its opposite."""
    before, after = _only(old.said, old.denied), _only(new.said, new.denied)
    for pair in marks.OPPOSITES:
        one, other = (frozenset(map(hashed, words(word))) for word in sorted(pair))
        if not one or not other:
            continue
        for first, second in ((one, other), (other, one)):
            turned = first <= before and second <= after
            if turned and not second <= old.words and not first <= new.words:
                return True
    return False


def _starts(number: str) -> Iterable[str]:
    return accumulate(re.split(r"(?=[.:])", number))


def _clauses(text: str) -> tuple[set[str], set[str]]:
    """The words of clauses that deny nothing, and those of clauses that deny something."""
    said: set[str] = set()
    denied: set[str] = set()
    for clause in marks.CLAUSES.split(expanded(text)):
        (denied if marks.DENYING.search(clause) else said).update(words(clause))
    return said, denied


def _raw_words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _is_marked(text: str) -> bool:
    """Whether a text says itself that something has changed."""
    phrases = (marks.CORRECTION, marks.ENDED, marks.OLD_VALUE_PRECEDES, marks.NOWADAYS)
    return any(one.search(text) for one in phrases)


def _all(hashed: Hashed, found: Iterable[str]) -> frozenset[str]:
    return frozenset(map(hashed, found))
