"""Strings too random to be words, paths, hashes or names: what a secret of no known make is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2

from loremap.safety.linear import Hit, Span, blanked, matches
from loremap.safety.names import harmless
from loremap.safety.private_keys import public_blocks

BITS_PER_CHARACTER = 4.0
LONGER_THAN = 20

_FOLLOWERS = {
    "a": "bcdgilmnprstuxy",
    "b": "aeilorsu",
    "c": "acehiklorstu",
    "d": "aeilosu",
    "e": "acdefglmnprstvwx",
    "f": "aefiloru",
    "g": "aehilnorsu",
    "h": "aeiot",
    "i": "abcdefglmnoprstvz",
    "j": "aeosu",
    "k": "aeinos",
    "l": "adeilostuy",
    "m": "aeiopsu",
    "n": "acdefginostu",
    "o": "bcdgiklmnoprstuvw",
    "p": "aehiloprstuy",
    "q": "u",
    "r": "acdegilmnorstuy",
    "s": "acehilopqstu",
    "t": "acehiloprstuy",
    "u": "abceilmnprst",
    "v": "aeio",
    "w": "aehinor",
    "x": "cept",
    "y": "pst",
    "z": "e",
}
_COMMON_PAIRS = frozenset(first + then for first, all_ in _FOLLOWERS.items() for then in all_)
"""Nine tenths of the letter pairs in English prose and in identifiers, a third of all pairs."""

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SEPARATORS = re.compile(r"[-_./+~=]+")
_LEAST_COMMON_SHARE = 0.62
_LEAST_PIECE_LENGTH = 2.6
_SAMPLE = 2048
_LONGEST_COUNT = 14

_NAMED = re.compile(
    rb"""([A-Za-z][\w.-]{0,40})["'\]]{0,2}(?:\s{1,3}value)?\s{0,3}[:=]{1,2}>?\s{0,3}["'`]?$"""
)
_RUN = re.compile(rb"[A-Za-z0-9+/_.~-]{21,}={0,2}")
_WORD = re.compile(rb"[A-Za-z0-9+/_.~-]+")
_DIGIT = re.compile(rb"[0-9]")
_SPARED = "|".join(
    (
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'`<>]+",
        r"data:[a-z0-9.+/-]*(?:;[a-z0-9=-]+)*;base64,[A-Za-z0-9+/=_-]+",
        r"(?i:sha(?:1|224|256|384|512)[-:=]|md5[-:=]|h1:|integrity[=:]\s?)[A-Za-z0-9+/]+={0,2}",
        r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
        r"\b(?:0x)?[0-9a-f]{7,}\b",
        r"\b(?:0x)?[0-9A-F]{7,}\b",
        r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b",  # ULID
        r"\bAAAA[A-Za-z0-9]{2,4}[A-Za-z0-9+/]+={0,2}",  # an SSH public key
        r"\b(?:iVBORw0KGgo|R0lGOD|/9j/4AA|PHN2Zy|UEsDB|JVBERi0|d09GM|AGFzbQ|MII[A-Z])[\w+/]+={0,2}",
        r"\b_(?:Z|R|\$s)[A-Z0-9][\w.$]+",  # a mangled C++, Rust or Swift name
        r"\b(?:toolu|msg|req|resp|call|run|step|thread|asst|file|batch|chatcmpl)[_-]\w{8,}\b",
        r"\b(?:cus|sub|pi|pm|price|prod|evt|ch|in|acct|seti|cs_test|cs_live)_[A-Za-z0-9]{8,}\b",
        r"\bv?\d+(?:\.\d+)+[-+.\w]*",
        r"\bENC[\[(][^\])\n]+",  # encrypted by sops or jasypt
    )
)


def shannon(run: str) -> float:
    """Bits per character of `run`, from how often each of its characters occurs."""
    length = len(run)
    return -sum(n / length * log2(n / length) for n in Counter(run).values()) if run else 0.0


def wordy(run: str) -> bool:
    """Whether `run` reads as words: long pieces whose letters follow one another as in words."""
    pieces = _PIECE.findall(run[:_SAMPLE])
    length = sum(1 if piece.isdigit() else len(piece) for piece in pieces)
    if not pieces or length < _LEAST_PIECE_LENGTH * len(pieces):
        return False
    pairs = [a + b for piece in pieces for a, b in pairwise(piece.lower())]
    pairs = [pair for pair in pairs if pair.isalpha()]
    common = sum(pair in _COMMON_PAIRS for pair in pairs)
    return bool(pairs) and common >= _LEAST_COMMON_SHARE * len(pairs)


def made_of_words(run: str) -> bool:
    """Whether most of `run`, cut at its separators, is words, numbers and short pieces."""
    segments = [segment for segment in _SEPARATORS.split(run[:_SAMPLE]) if segment]
    plain = sum(len(s) for s in segments if len(s) <= 3 or s.isdigit() or wordy(s))
    return 2 * plain >= sum(map(len, segments))


def alphabet(run: str) -> bool:
    """Whether `run` counts through letters or digits for long, leaving out one here and there."""
    steps = "".join(
        "+" if 0 < ord(b) - ord(a) < 3 or a + b == "90" else " " for a, b in pairwise(run[:_SAMPLE])
    )
    return "+" * _LONGEST_COUNT in steps


def random_strings(data: bytes) -> Iterator[Hit]:
    """The runs of `data` longer than 20 characters with more than 4 bits in each."""
    if not any(_DIGIT.search(run.group()) for run in _RUN.finditer(data)):
        return  # no part of what has no digit is random enough
    spared = [*public_blocks(data), *(spans[0] for spans in matches(_SPARED, data))]
    judged: dict[str, tuple[Span, ...]] = {}  # a text says the same path over and over
    for found in _RUN.finditer(blanked(data, spared)):
        start, end = found.span()
        named = _NAMED.search(data, max(0, start - 64), start)
        if named is not None and harmless(named.group(1).decode("latin-1")):
            continue
        run = data[start:end].decode("latin-1")
        if run.endswith("..."):
            continue  # cut short by who wrote it
        if run not in judged:
            judged[run] = tuple(_random_parts(run))
        if judged[run] and _path(_rest_of_word(data, start)):
            continue  # a digest in the name of a file was spared, and the rest is no path by itself
        for first, last in judged[run]:
            yield Hit("high-entropy", start + first, start + last)


def _rest_of_word(data: bytes, start: int) -> str:
    word = _WORD.match(data, start)
    return "" if word is None else word.group().decode("latin-1")


def _random_parts(run: str) -> Iterator[Span]:
    """The whole of a random run, or the random segments of one that is otherwise words."""
    first = len(run) - len(run.lstrip("-_./~+"))
    whole = run[first:].rstrip("-_./~")
    if not made_of_words(whole):
        if _too_random(whole) and not _slug(whole) and not _path(run):
            yield first, first + len(whole)
        return
    for match in re.finditer(r"[A-Za-z0-9]{21,}", whole):
        if _too_random(match.group()) and not wordy(match.group()) and not _path(run):
            yield first + match.start(), first + match.end()


def _too_random(run: str) -> bool:
    return (
        len(run) > LONGER_THAN
        and shannon(run) > BITS_PER_CHARACTER
        and any(map(str.isdigit, run))
        and any(map(str.isalpha, run))
        and not alphabet(run)
        and not run.endswith("EXAMPLE")
    )


def _slug(run: str) -> bool:
    """A name such as that of a host, a pod or a branch: one case, in short pieces."""
    one_case = run == run.lower() or run == run.upper()
    return one_case and max(map(len, _SEPARATORS.split(run))) <= LONGER_THAN


def _path(run: str) -> bool:
    """A path whose first folder is a word, or the name of a file with an ending."""
    match = re.match(r"(?:\.{0,2}|~)/([A-Za-z0-9._-]+)/", run)
    if match is not None:
        return len(match.group(1)) <= 4 or wordy(match.group(1))
    return re.search(r"[A-Za-z0-9]\.[a-z]{2,4}$", run) is not None
