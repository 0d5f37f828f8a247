"""Cuts a long text into overlapping chunks that each fit the model, without its tokenizer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

ONE_CHUNK_TOKENS = 200
WINDOW_TOKENS = 180
OVERLAP_TOKENS = 40
MAX_CHUNKS = 32

_READ_CHARS = 400_000
"""Past this a text is not read: its chunks would be dropped by the cap anyway."""

_ATOM = re.compile(
    r"(?P<mixed>(?:[A-Za-z]{1,12}+\d|\d{1,12}+[A-Za-z])[A-Za-z\d]{0,12})"
    r"|(?P<latin>[A-Za-z\u00c0-\u024f]{1,16})"
    r"|(?P<digits>\d{1,16})"
    r"|(?P<hangul>[\uac00-\ud7a3])"
    r"|(?P<sign>\S)"
)
_CHARS_PER_TOKEN = {"mixed": 1.4, "latin": 4.0, "digits": 2.0, "hangul": 1 / 3, "sign": 1.0}
"""Measured on English, German, code, patches and random keys. The model's vocabulary is English:
other scripts fall into single characters, and a Hangul syllable into its three letters."""

_BREAKS = (
    re.compile(r"\n\s*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"[.!?…]['\")\]]*\s+|[。！？]"),
    re.compile(r"\s+"),
)
"""Where a text may be cut, best first: paragraph, line, sentence, word."""


def chunked(text: str, *, max_chunks: int = MAX_CHUNKS) -> tuple[str, ...]:
    """The text in overlapping windows, or whole when it fits in one.

    Past `max_chunks`, evenly spread windows are kept, the first and the last among them.
    """
    if text.isascii() and len(text) <= ONE_CHUNK_TOKENS:
        return (text,)
    read = text[:_READ_CHARS]
    atoms = _atoms(read)
    if atoms.tokens[-1] <= ONE_CHUNK_TOKENS:
        return (text,)
    spans = _spread(list(_windows(read, atoms)), max_chunks)
    return tuple(read[start:end].strip() for start, end in spans)


def token_estimate(text: str) -> int:
    """About how many tokens the model sees in `text`, rather too many than too few."""
    return round(_atoms(text).tokens[-1])


@dataclass(frozen=True)
class _Atoms:
    """Where a text's smallest pieces start, its end last, and the tokens before each of these."""

    starts: list[int]
    tokens: list[float]


def _atoms(text: str) -> _Atoms:
    starts: list[int] = []
    costs: list[float] = []
    for match in _ATOM.finditer(text):
        starts.append(match.start())
        length = match.end() - match.start()
        costs.append(max(1.0, length / _CHARS_PER_TOKEN[str(match.lastgroup)]))
    return _Atoms([*starts, len(text)], list(accumulate(costs, initial=0.0)))


def _windows(text: str, atoms: _Atoms) -> Iterator[tuple[int, int]]:
    """Spans of at most a window's tokens that overlap, each cut at the best break in reach."""
    breaks = [_ends(pattern, text) for pattern in _BREAKS]
    last = len(atoms.starts) - 1
    first = 0
    while (reach := _atom_at(atoms, atoms.tokens[first] + WINDOW_TOKENS)) < last:
        fewest = _atom_at(atoms, atoms.tokens[first] + WINDOW_TOKENS * 2 / 3)
        end = _last_break(breaks, atoms, low=fewest, high=reach)
        yield atoms.starts[first], atoms.starts[end]
        first = _last_break(
            breaks,
            atoms,
            low=_atom_at(atoms, atoms.tokens[end] - OVERLAP_TOKENS * 3 / 2),
            high=_atom_at(atoms, atoms.tokens[end] - OVERLAP_TOKENS * 3 / 4),
        )
    yield atoms.starts[first], len(text)


def _atom_at(atoms: _Atoms, tokens: float) -> int:
    """The last atom with at most so many tokens before it."""
    return bisect_right(atoms.tokens, tokens) - 1


def _ends(pattern: re.Pattern[str], text: str) -> list[int]:
    return [match.end() for match in pattern.finditer(text)]


def _last_break(breaks: Sequence[list[int]], atoms: _Atoms, *, low: int, high: int) -> int:
    """The last atom in low..high that follows a break of the best kind found there."""
    for ends in breaks:
        place = bisect_right(ends, atoms.starts[high]) - 1
        if place >= 0 and ends[place] >= atoms.starts[low]:
            return bisect_left(atoms.starts, ends[place])
    return high


def _spread(spans: Sequence[tuple[int, int]], most: int) -> Sequence[tuple[int, int]]:
    if len(spans) <= most:
        return spans
    if most == 1:
        return spans[:1]
    return [spans[round(i * (len(spans) - 1) / (most - 1))] for i in range(most)]
