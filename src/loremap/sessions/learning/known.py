"""What a session was told rather than taught: injected memory, and files it read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loremap.model.turn import Turn
from loremap.sessions.learning.exchanges import changes
from loremap.sessions.learning.sentences import telling

_RESTATED, _SUMMARISED = 0.75, 0.5
_MIN_WORDS = 3
_MAX_LINES = 20_000
_LINE_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Told:
    """The lines that were put before the agent, each by its telling words."""

    injected: tuple[frozenset[str], ...]
    read: tuple[frozenset[str], ...]

    def restated(self, sentence: str) -> bool:
        """Whether a sentence says a line again in much the same words, whoever says it."""
        return _near(sentence, (*self.injected, *self.read), _RESTATED)

    def echoed(self, sentence: str) -> bool:
        """Whether a sentence of the agent may be what it was given, in other words."""
        return _near(sentence, self.injected, _SUMMARISED) or self.restated(sentence)


def told(turns: Sequence[Turn], injected: Sequence[str]) -> Told:
    """What this session was told: by injection, and by files of prose that it opened."""
    read = (turn.call.result for turn in turns if turn.call is not None and _is_prose(turn))
    return Told(tuple(_lines(injected)), tuple(_lines(read)))


def _is_prose(turn: Turn) -> bool:
    call = turn.call
    if call is None or changes(turn):
        return False
    return any(use.path.lower().endswith((".md", ".mdc", ".rst", ".txt")) for use in call.files)


def _lines(texts: Iterable[str]) -> list[frozenset[str]]:
    found = list[frozenset[str]]()
    for text in texts:
        for line in text.splitlines()[: _MAX_LINES - len(found)]:
            words = telling(line[:_LINE_CHARACTERS])
            if len(words) >= _MIN_WORDS:
                found.append(words)
    return found


def _near(sentence: str, lines: Sequence[frozenset[str]], share: float) -> bool:
    own = telling(sentence)
    if len(own) < _MIN_WORDS:
        return False
    return any(
        len(own & line) >= max(_MIN_WORDS, share * min(len(own), len(line))) for line in lines
    )
