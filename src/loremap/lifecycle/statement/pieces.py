"""A text cut into words, names, numbers and the punctuation between its clauses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from loremap.lifecycle import lexicon

STOPS = ".,;:!?，。；：！？、"
"""Punctuation that ends a clause."""
_EDGE = "\"'()[]{}*“”«»"
_UNIFIED = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "→": " to ", "…": ".", "§": " section ", "•": " "}
)
_Replacement = str | Callable[[re.Match[str]], str]
_CONTRACTIONS: tuple[tuple[re.Pattern[str], _Replacement], ...] = (
    (re.compile(r"\b(?:can't|cannot|can not)\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"(?<=\w)'(?:s|re|ve|ll|d|m)\b", re.I), ""),
    (re.compile(r"\b[dlcnsjmt]'(?=\w)", re.I), ""),
    (re.compile(r"(?<=\d)\s*(?:a\.m\.|p\.m\.)", re.I), lambda match: match[0].replace(".", "")),
    (re.compile(r"\b(\d{1,2}(?::\d\d)?)\s*(am|pm)\b", re.I), lambda match: _clock(match)),
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))"), ""),
    (re.compile(r"(?<![<>=!])=(?!=)"), " "),
    (re.compile(r"(?<=[<>])(?=\d)|(?<=[<>]=)(?=\d)"), " "),
)
_QUOTED = re.compile(r"\"([^\"]{1,80})\"|`([^`]{1,80})`")
_CHUNK = re.compile(r"\S+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_CJK_RUN = re.compile("[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LATIN = re.compile(r"[\w.%/-]*\w%?|[，。；：！？、]")
_FLAG = re.compile(r"-+[^\W\d_]")
_HOST_AND_PORT = re.compile(r"([A-Za-z][\w.-]*):(\d{2,5})")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_GLUED = re.compile(r"\w+(?:[;,—–]\w+)+")
_BULLET = re.compile(r"[-–—*#>+]+")
_PARTICLES = frozenset("no not to on off in out up down by first before after".split())


def unified(text: str) -> str:
    """`text` in one Unicode form with plain quotes; what cannot be encoded is replaced."""
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", encodable).translate(_UNIFIED)


def quoted(text: str) -> frozenset[str]:
    """The words that stand in quotes or backticks, where spelling is all."""
    runs = (double or tick for double, tick in _QUOTED.findall(text))
    return frozenset(" ".join(runs).casefold().split())


def pieces(text: str) -> list[str]:
    """The pieces of a unified text as written, contractions spelt out, openers left out."""
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return _opened([piece for piece in _cut(text.replace("`", " ")) if piece])


def has_cjk(text: str) -> bool:
    """Whether `text` has a Chinese, Japanese or Korean character."""
    return _CJK.search(text) is not None


def _clock(match: re.Match[str]) -> str:
    hour, _, minute = match[1].partition(":")
    if not 1 <= int(hour) <= 12:
        return match[0]
    shifted = int(hour) % 12 + (12 if match[2].casefold() == "pm" else 0)
    return f"{shifted:02d}:{minute or '00'}"


def _cut(text: str) -> Iterator[str]:
    for match in _CHUNK.finditer(text):
        if _BULLET.fullmatch(match[0]) and (match[0] not in "<>+" or not match.start()):
            yield "," if match.start() else ""
            continue
        chunk = match[0].strip(_EDGE)
        bare = chunk.rstrip(STOPS + _EDGE)
        ending = chunk[len(bare) :].strip(_EDGE)[:1]
        yield from _split(bare.removesuffix("()").lstrip(_EDGE))
        yield ending


def _split(chunk: str) -> Iterator[str]:
    if has_cjk(chunk):
        yield from _cjk(chunk)
    elif _FLAG.match(chunk):
        yield chunk
    elif match := _HOST_AND_PORT.fullmatch(chunk):
        yield from match.groups()
    elif _HYPHENATED.fullmatch(chunk):
        yield from _hyphenated(chunk)
    elif _GLUED.fullmatch(chunk) and not any(char.isdigit() for char in chunk):
        yield from re.split(r"[;,—–]", chunk)
    else:
        yield chunk


def _hyphenated(chunk: str) -> Iterator[str]:
    """`row-level` is two words; `opt-in`, `no-console` and `end-to-end` are one."""
    folded = chunk.casefold()
    parts = folded.split("-")
    if (folded,) in lexicon.REWRITES:
        yield folded
    elif parts[0] == "non":
        yield from ("non", "-".join(parts[1:]))
    elif parts[0] == "re":
        yield "".join(parts)
    elif any(map(_is_dropped, parts)):  # "seed-all" would be read as "seed"
        yield folded
    else:
        yield from chunk.split("-")


def _is_dropped(part: str) -> bool:
    """Whether a word of its own would carry no weight in a comparison."""
    return (
        part in lexicon.FUNCTION["en"]
        or part in _PARTICLES
        or lexicon.GHOSTS.issuperset(lexicon.REWRITES.get((part,), ("",)))
    )


def _cjk(chunk: str) -> Iterator[str]:
    """Katakana and hiragana by runs, other characters one by one, Latin words whole."""
    position = 0
    for run in _CJK_RUN.finditer(chunk):
        yield from _LATIN.findall(chunk[position : run.start()])
        position = run.end()
        yield run[0]
    yield from _LATIN.findall(chunk[position:])


def _opened(raws: list[str]) -> list[str]:
    """Without `Note:` and its like at the beginning."""
    while len(raws) > 1 and raws[0].casefold() in lexicon.OPENERS:
        raws = raws[1:]
        while len(raws) > 1 and (raws[0] in STOPS or raws[0].casefold() in ("that", "to")):
            raws = raws[1:]
    return raws
