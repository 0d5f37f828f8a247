"""Blends the signals into one ranking of files and symbols, and says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from loremap.code.locate import name_signals, word_signals
from loremap.code.locate.asked import Asked, Signal
from loremap.code.locate.index import Floats, Ints, LocateIndex
from loremap.code.locate.neighbours import Uses, no_uses, raised
from loremap.code.locate.reasons import reasons_for
from loremap.code.locate.task import read_task

_SYMBOLS_PER_FILE = 3
_AHEAD = 0.01
"""How far a file named outright is put ahead; the others stay near, for it may not be all."""


@dataclass(frozen=True)
class Part:
    """One signal in the blend."""

    signal: Signal
    weight: float
    is_share: bool
    """Whether a file's number counts as a share of the best file's; else as it is."""

    @property
    def name(self) -> str:
        """The signal's name."""
        return self.signal.__name__


PARTS: tuple[Part, ...] = (
    Part(word_signals.best_passage, 2.4, is_share=True),
    Part(word_signals.similar_symbols, 2.1, is_share=True),
    Part(word_signals.best_for_title, 1.6, is_share=True),
    Part(word_signals.rare_words, 1.3, is_share=True),
    Part(name_signals.file_named, 1.1, is_share=False),
    Part(word_signals.words_of_path, 1.0, is_share=True),
    Part(word_signals.identifiers_said, 1.0, is_share=True),
    Part(word_signals.names_of_title, 0.9, is_share=True),
    Part(word_signals.messages_quoted, 0.8, is_share=False),
)
"""Weights of a logistic ranking (`bench/code/fit.py`) fitted on development issues, rounded."""

TEST_PARTS: tuple[Part, ...] = (
    Part(word_signals.best_passage, 2.4, is_share=True),
    Part(word_signals.words_of_path, 1.0, is_share=True),
    Part(name_signals.file_named, 1.1, is_share=False),
)
"""Tests are found by what they say: they define nothing a task would name."""


@dataclass(frozen=True)
class FoundSymbol:
    """A passage of a found file: its qualified name, first line, and share of the best passage."""

    name: str
    line: int
    score: float


@dataclass(frozen=True)
class FoundFile:
    """A file the task may mean; scores are comparable within one answer only."""

    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[FoundSymbol, ...]
    said: int = 0
    """How many words of the task stand in it."""
    share: float = 0.0
    """What they tell, of all that the task's words tell: the fewer files say a word, the more."""


@dataclass(frozen=True)
class Located(Sequence[FoundFile]):
    """What a task means: files to read or edit, in order, and tests that speak of the same."""

    files: tuple[FoundFile, ...]
    tests: tuple[FoundFile, ...]

    def __len__(self) -> int:
        return len(self.files)

    @overload
    def __getitem__(self, at: int) -> FoundFile: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[FoundFile]: ...
    def __getitem__(self, at: int | slice) -> FoundFile | Sequence[FoundFile]:
        return self.files[at]


def located(
    sources: LocateIndex,
    tests: LocateIndex,
    text: str,
    *,
    similar: Floats | None = None,
    uses: Uses = no_uses,
    limit: int = 10,
    test_limit: int = 5,
) -> Located:
    """The files and the tests that a task description most likely means."""
    task = read_task(text)
    return Located(
        files=tuple(_best(Asked(sources, task, similar), limit, PARTS, uses)),
        tests=tuple(_best(Asked(tests, task), test_limit, TEST_PARTS, no_uses)),
    )


def locate(
    index: LocateIndex,
    text: str,
    *,
    similar: Floats | None = None,
    uses: Uses = no_uses,
    limit: int = 10,
    parts: Sequence[Part] = PARTS,
) -> list[FoundFile]:
    """The files that a task description most likely means, best first.

    `similar` is what `file_similarity` says of the index's files, where there are vectors; `uses`
    is what the code graph says of them.
    """
    return _best(Asked(index, read_task(text), similar), limit, parts, uses)


def _best(asked: Asked, limit: int, parts: Sequence[Part], uses: Uses) -> list[FoundFile]:
    scores, users = ranked(
        blended(asked, parts) * asked.index.standing, uses, name_signals.named_outright(asked)
    )
    best = [int(at) for at in np.argsort(-scores, kind="stable")[:limit] if scores[at] > 0]
    return [_found(asked, at, score=float(scores[at]), user=int(users[at])) for at in best]


def _found(asked: Asked, at: int, *, score: float, user: int) -> FoundFile:
    is_said = asked.counts_in(at) > 0
    return FoundFile(
        path=asked.index.paths[at],
        score=round(score, 4),
        reasons=reasons_for(asked, at, user=user),
        symbols=_symbols(asked, at),
        said=int(is_said.sum()),
        share=round(float(asked.telling[is_said].sum() / max(asked.telling.sum(), 1e-9)), 3),
    )


def ranked(scores: Floats, uses: Uses, outright: Ints) -> tuple[Floats, Ints]:
    """Scores as an answer is ordered by, and who raised each file by using it (or -1).

    What the best files use is raised, and what the task names outright comes first, in the order
    of its scores.
    """
    found, users = raised(scores, uses)
    best = found.max(initial=0.0)
    if len(outright) and best > 0:
        found[outright] = best * (1 + _AHEAD * found[outright] / best)
    return found, users


def blended(asked: Asked, parts: Sequence[Part] = PARTS) -> Floats:
    """The score of every file."""
    total = np.zeros(len(asked.index))
    for part in parts:
        total += part.weight * strength(part, asked)
    return total


def strength(part: Part, asked: Asked) -> Floats:
    """The signal of one part, before it is weighed."""
    found = asked.found(part.signal)
    best = found.max(initial=0.0)
    return found / best if part.is_share and best > 0 else found


def _symbols(asked: Asked, at: int) -> tuple[FoundSymbol, ...]:
    """The best passages of a file; those that the task names come first."""
    terms = asked.index.files[at]
    scores = asked.passage_scores
    share = scores[slice(*asked.index.first_passage[at : at + 2])] / scores.max(initial=1e-9)
    is_named = np.array([_is_named(asked, name) for name in terms.names])
    order = np.argsort(-(share + is_named), kind="stable")[: _SYMBOLS_PER_FILE + 1]
    return tuple(
        FoundSymbol(terms.names[one], int(terms.lines[one]), round(float(share[one]), 3))
        for one in order
        if one and (share[one] > 0 or is_named[one])
    )[:_SYMBOLS_PER_FILE]


def _is_named(asked: Asked, qualified: str) -> bool:
    """Whether the task names a passage by its own name and its holder's."""
    held = ".".join(qualified.rsplit(".", 2)[-2:])
    return "." in held and held in asked.definers
