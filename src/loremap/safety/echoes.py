"""The secrets a text gave away, so that each is found again where it stands without its label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from loremap.model.words import STOP_WORDS
from loremap.safety.linear import Hit

_RUN = re.compile(r"[A-Za-z0-9]+|[^\W_A-Za-z0-9]+")
_LEAST, _LONGEST = 4, 300
_FEW = 20
"""So many are looked for one by one; more, in one pass over the words of a text."""


class Secrets:
    """Values that were found to be secret, each with its type; none of them is ever shown."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = {
            value: type_
            for value, type_ in types.items()
            if _LEAST <= len(value) <= _LONGEST and value.lower() not in STOP_WORDS
        }
        self._forms: dict[str, set[tuple[int, int]]] = {}
        for value in self._types:
            if (run := _RUN.search(value)) is not None:
                self._forms.setdefault(run.group(), set()).add((run.start(), len(value)))

    def __bool__(self) -> bool:
        return bool(self._types)

    def __or__(self, other: Secrets) -> Secrets:
        """The secrets of both."""
        return Secrets(self._types | other._types)

    def within(self, text: str) -> Iterator[Hit]:
        """Where one of them stands in `text` as a word of its own."""
        if len(self._types) <= _FEW:
            yield from self._few_within(text)
            return
        for run in _RUN.finditer(text):
            for lead, length in self._forms.get(run.group(), ()):
                start = run.start() - lead
                type_ = self._types.get(text[start : start + length]) if start >= 0 else None
                if type_ is not None and _stands_apart(text, start, start + length):
                    yield Hit(type_, start, start + length)

    def _few_within(self, text: str) -> Iterator[Hit]:
        for value, type_ in self._types.items():
            start = text.find(value)
            while start >= 0:
                if _stands_apart(text, start, start + len(value)):
                    yield Hit(type_, start, start + len(value))
                start = text.find(value, start + len(value))


NO_SECRETS = Secrets({})


def secrets_of(text: str, hits: Iterable[Hit]) -> Secrets:
    """The secrets that `hits` found in `text`."""
    return Secrets({text[hit.start : hit.end]: hit.type for hit in hits})


def _stands_apart(text: str, start: int, end: int) -> bool:
    """Whether no Latin letter or digit goes on before or after."""
    return not (_goes_on(text[start]) and _goes_on(text[start - 1 : start])) and not (
        _goes_on(text[end - 1]) and _goes_on(text[end : end + 1])
    )


def _goes_on(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()
