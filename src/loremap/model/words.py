"""The words of a text, as the full-text index and every rule about words see them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import Stemmer

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its itself just me more most my
    no nor not now of off on once only or other our ours out over own same she should so some such
    than that the their theirs them then there these they this those through to too under until up
    very was we were what when where which while who whom why will with would you your yours
    s t d ll m o re ve y don didn doesn isn aren wasn weren won can't
    """.split()
)
"""Words that say nothing of a text's subject. Negations are dropped from the index only: the rules
for conflicts read the text itself."""

_RUN = re.compile(r"[^\W_]+(?:[_][^\W_]+)*|[\u2600-\u27bf\U0001f300-\U0001faff]", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile(
    "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]+)"
)
_MARKS = re.compile(r"[\u0300-\u036f]")
_APOSTROPHE = re.compile(r"(?<=\w)['’](s|S|t|T|ll|re|ve|d|m)\b")
_NAME = re.compile(
    r"\b(?=\w*[A-Za-z])(?:\w+(?:[./:_-]+\w+)*[._/]\w+|[a-z]+[A-Z]\w*|\w*[A-Za-z]\d\w*"
    r"|\w*\d[A-Za-z]{3,}\w*)\b"
)
_NO_NAME = re.compile(r"\S{300,}")
"""No name or path is as long; as one, it would take the square of its length to read."""
_stemmer = Stemmer.Stemmer("porter")
_stemmer.maxCacheSize = 50_000


def words(text: str) -> list[str]:
    """The index terms of `text`, in order: identifiers split, folded, stemmed, CJK as bigrams."""
    runs = _RUN.findall(_APOSTROPHE.sub("", unicodedata.normalize("NFKC", text)))
    return [term for run in runs for term in _terms(run)]


def names_in(text: str) -> list[str]:
    """What looks like a name of code: a path, a dotted or snake or camel case name, or a number."""
    return _NAME.findall(_NO_NAME.sub(" ", text))


def plain(text: str) -> str:
    """`text` in one Unicode form, without case and without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one folded word."""
    return str(_stemmer.stemWord(word))


@lru_cache(maxsize=65_536)
def _terms(run: str) -> tuple[str, ...]:
    """The terms of one run of letters; texts say the same words over and over."""
    if len(run) == 1 and ord(run) >= 0x2600 and not run.isalnum():
        return (f"u{ord(run):x}",)  # a sign such as 🚀, spelt so that any tokenizer keeps it
    return tuple(
        term
        for piece in _CJK.split(run)
        if piece
        for term in (_bigrams(piece) if _CJK.match(piece) else _identifier(piece))
    )


def _identifier(run: str) -> Iterator[str]:
    """The parts of an identifier, and the whole of it where it has more than one part."""
    parts = [part for snake in run.split("_") for part in _CAMEL.split(snake) if part]
    for part in parts:
        folded = plain(part)
        if folded and folded not in STOP_WORDS:
            yield stem(folded)
    if len(parts) > 1:
        yield plain(run.replace("_", ""))


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for left, right in pairwise(run):
        yield left + right
