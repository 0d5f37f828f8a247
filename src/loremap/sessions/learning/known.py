"""What a session was told rather than taught: injected memory, and files it read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from loremap.model.turn import Turn
from loremap.sessions.learning.exchanges import changes
from loremap.sessions.learning.otherwise import denies, other_figure
from loremap.sessions.learning.sentences import telling

_RESTATED, _SUMMARISED = 0.75, 0.5
_MIN_WORDS = 3
_MAX_LINES = 10_000
_LINE_CHARACTERS = 600


class Told:
    """The lines that were put before the agent, found by their telling words."""

    def __init__(self, injected: Iterable[str] = (), read: Iterable[str] = ()) -> None:
        self._injected, self._read = _Lines(injected), _Lines(read)

    def restated(self, sentence: str) -> bool:
        """Whether a sentence says a line again in much the same words, whoever says it; with
        another figure, or a no for its yes, it says something else."""
        return any(
            not (other_figure(sentence, line) or denies(sentence, line))
            for lines in (self._injected, self._read)
            for line in lines.near(sentence, _RESTATED)
        )

    def echoed(self, sentence: str) -> bool:
        """Whether a sentence of the agent may be what it was given, in other words."""
        near = (self._injected.near(sentence, _SUMMARISED), self._read.near(sentence, _RESTATED))
        return any(True for lines in near for _ in lines)


class _Lines:
    def __init__(self, texts: Iterable[str]) -> None:
        self._lines = list[tuple[str, frozenset[str]]]()
        self._having = defaultdict[str, list[int]](list)
        for line in dict.fromkeys(_long_enough(texts)):
            words = telling(line)
            if len(words) >= _MIN_WORDS:
                for word in words:
                    self._having[word].append(len(self._lines))
                self._lines.append((line, words))

    def near(self, sentence: str, share: float) -> Iterator[str]:
        """The lines that share so much of the shorter of both, and at least three words: so each
        of them has another word of the sentence than its two most frequent ones."""
        own = telling(sentence)
        if len(own) < _MIN_WORDS:
            return
        having = sorted((self._having.get(word, []) for word in own), key=len)
        for at in sorted(set().union(*having[: 1 - _MIN_WORDS])):
            line, words = self._lines[at]
            if len(own & words) >= max(_MIN_WORDS, share * min(len(own), len(words))):
                yield line


def _long_enough(texts: Iterable[str]) -> Iterator[str]:
    left = _MAX_LINES
    for text in texts:
        for line in text.splitlines()[:left]:
            left -= 1
            yield line[:_LINE_CHARACTERS]


def told(turns: Sequence[Turn], injected: Sequence[str]) -> Told:
    """What this session was told: by injection, and by files of prose that it opened."""
    read = (turn.call.result for turn in turns if turn.call is not None and _is_prose(turn))
    return Told(injected, read)


def _is_prose(turn: Turn) -> bool:
    call = turn.call
    if call is None or changes(turn):
        return False
    return any(use.path.lower().endswith((".md", ".mdc", ".rst", ".txt")) for use in call.files)
