"""A statement as the rules that compare two of them read it: its words in order, without filler."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from loremap.memory.admission import marks
from loremap.model.words import plain, stem

LONGEST_QUOTE = 60
_PIECE = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]"
    "|[^\\s\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff00-\uff0f]+"
)
_EDGES = ".,;!?\"'`()[]{}«»„“”‘’…*_—–-:。、"
NUMBER = re.compile(r"(?:[\w.\-]+[=:(])?[~≥≤<>]?[$€£]?v?\d[\d.,:_]*(?:%|[a-zµ]{1,3})?\)?", re.I)
_CONTRACTED = ((re.compile(r"\bcan(?:'t|not)\b", re.I), "can not"),
               (re.compile(r"\bwon't\b", re.I), "will not"),
               (re.compile(r"n't\b", re.I), " not"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One word."""

    raw: str
    key: str
    """Without case and inflection; empty for filler."""
    before: str
    """The word before it in the text, filler too."""


@lru_cache(maxsize=1_024)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The words of a statement in order, without filler; a new one is compared with several."""
    text = expanded(unicodedata.normalize("NFKC", text))
    found: list[Token] = []
    previous = ""
    for piece in _PIECE.findall(text):
        raw = piece.strip(_EDGES) or (piece if set(piece) & set("<>=→+|&") else "")
        key = _key(raw) if raw else ""
        if key:
            found.append(Token(raw, key, previous))
        previous = {",": "", ";": "", ":": ":"}.get(piece[-1], plain(raw) or previous)
    return tuple(found)


def _key(raw: str) -> str:
    word = plain(raw).removesuffix("'s")
    if any(sign.isdigit() for sign in word):
        return re.sub(r"(?<=\d),(?=\d{3}\b)", "", word)
    if word in marks.FILLER:
        return ""
    if word in marks.UNITS:
        return marks.UNITS[word]
    if not word.isalpha():
        return word  # a path or an identifier has no inflection
    return stem(word) + ("+" if word.endswith("ed") else "")  # what was used is not what is used


def expanded(text: str) -> str:
    """`text` with its negations written out: do not, can not."""
    text = text.replace("’", "'")
    for pattern, written in _CONTRACTED:
        text = pattern.sub(written, text)
    return text


def keys_of(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in tokens]


def difference(old: str, new: str) -> str:
    """What two statements differ in, quoted: the words between what they begin and end with."""
    before, after = old.split(), new.split()
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    if start + end in (len(before), len(after)):  # a word more is quoted with the one beside it
        end, start = (end - 1, start) if end else (end, max(0, start - 1))
    return quoted(*(" ".join(one[start : len(one) - end]) for one in (before, after)))


def quoted(old: str, new: str) -> str:
    shown = (cut(one.strip(_EDGES + " ")) for one in (new, old))
    return " against ".join(f"“{one}”" if one else "nothing" for one in shown)


def cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1].rstrip() + "…"
