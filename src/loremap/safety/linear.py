"""Patterns that take time in proportion to the text, whoever wrote the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]  # google-re2 ships no types


class Hit(NamedTuple):
    """A secret of one type at `start` to `end` of a text."""

    type: str
    start: int
    end: int


Span = tuple[int, int]

_RUN = re.compile(rb"""[^\s"'`,;(){}<>|\\]*""")


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """The RE2 form of `pattern` over bytes, one byte per character."""
    return re2.compile(pattern.encode("latin-1"), _options())


@lru_cache(maxsize=1024)
def _searching(pattern: str) -> tuple[Any, range]:
    """How `pattern` is searched for, and the numbers of its groups, which RE2 counts each time."""
    expression = compiled(pattern)
    return expression.search, range(expression.groups + 1)


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


_RARE: dict[str, int] = {}


def rare(pattern: str) -> str:
    """`pattern`, which most texts do not match: one pass over a text tells which of all such do."""
    _RARE.setdefault(pattern, len(_RARE))
    return pattern


@lru_cache(maxsize=4)
def _present(data: bytes) -> frozenset[int]:
    """The numbers of the rare patterns that `data` matches, or all where RE2 could not tell."""
    found = _all_rare().Match(data)
    # The empty pattern, the last one, is always found.
    return frozenset(found or range(len(_RARE)))


@cache
def _all_rare() -> Any:
    together = re2.Set.SearchSet(_options())
    for pattern in (*_RARE, ""):
        together.Add(pattern.encode("latin-1"))
    together.Compile()
    return together


def _last_end(spans: tuple[Span, ...]) -> int:
    return max(end for _, end in (spans[1:] or spans))


def matches(
    pattern: str, data: bytes, *, resume: Callable[[tuple[Span, ...]], int] = _last_end
) -> Iterator[tuple[Span, ...]]:
    """The spans of each match and of its groups; `resume` says where the next may begin.

    By default that is where the last group ended, so that the sign that ends one secret may begin
    the next. A `resume` before that must be used with patterns of bounded length.
    """
    number = _RARE.get(pattern)
    if number is not None and number not in _present(data):
        return
    search, groups = _searching(pattern)
    at = 0
    while (match := search(data, at)) is not None:
        spans = tuple(match.span(group) for group in groups)
        yield spans
        at = max(at + 1, resume(spans))


def run_end(data: bytes, at: int) -> int:
    """Where the bare word ends that goes on at `at`: a pattern of bounded length stops short."""
    rest = _RUN.match(data, at)
    return at if rest is None else rest.end()


class Words:
    """Words that one pass over a text looks for all at once."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self._words = tuple(words)
        self._set = re2.Set.SearchSet(_options())
        for word in (b"", *map(re2.escape, self._words)):
            self._set.Add(word)
        self._set.Compile()

    def within(self, data: bytes) -> frozenset[bytes]:
        """Those of the words that occur in `data`, or all where RE2 had no memory to tell."""
        found = self._set.Match(data)
        if not found:  # the empty word is always found
            return frozenset(self._words)
        return frozenset(self._words[at - 1] for at in found if at)


def blanked(data: bytes, spans: list[Span]) -> bytes:
    """`data` with the bytes of `spans` made zero, which no pattern takes for part of a word."""
    masked = bytearray(data)
    for start, end in spans:
        masked[start:end] = bytes(end - start)
    return bytes(masked)
