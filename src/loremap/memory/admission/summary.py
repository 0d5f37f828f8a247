"""The summary of a memory: the first of its own words, by which lists and messages name it."""

from __future__ import annotations

import re
from collections.abc import Iterable

BUDGET_TOKENS = 30
SLACK_TOKENS = 5
"""A text this little over the budget is kept whole."""

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_", re.UNICODE)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CLAUSE = re.compile(r"(?<=[,;:–—])\s+")


def tokens_in(text: str) -> int:
    """About how many tokens a model counts in `text`."""
    return sum(_tokens_of(piece) for piece in _PIECE.findall(text))


def _tokens_of(piece: str) -> int:
    """A letter each in scripts without spaces, else fewer letters to a token the rarer they are."""
    if piece.isascii():
        return 1 + (len(piece) - 1) // 7
    return len(piece) if _UNSPACED.search(piece) else 1 + (len(piece) - 1) // 3


def summary_of(text: str) -> str:
    """About 30 tokens of `text` in its own words on one line: all of it where it is short, else the
    sentences it begins with, because people say the point first."""
    flat = " ".join(text.split())
    if tokens_in(flat) <= BUDGET_TOKENS + SLACK_TOKENS:
        return flat
    sentences = [sentence for part in _SENTENCE.split(text) if (sentence := " ".join(part.split()))]
    return _fitting(sentences) or _cut(sentences[0])


def _cut(sentence: str) -> str:
    """`sentence` within the budget, ended at a clause or a word."""
    if tokens_in(sentence) <= BUDGET_TOKENS + SLACK_TOKENS:
        return sentence
    kept = _fitting(_CLAUSE.split(sentence))
    if tokens_in(kept) < BUDGET_TOKENS // 2:
        kept = _fitting(sentence.split(" "))
    if not kept:
        kept = sentence[: 2 * BUDGET_TOKENS]
    return kept.rstrip(" ,;:–—") + " …"


def _fitting(parts: Iterable[str]) -> str:
    kept = ""
    for part in parts:
        longer = f"{kept} {part}".strip()
        if tokens_in(longer) > BUDGET_TOKENS:
            break
        kept = longer
    return kept
