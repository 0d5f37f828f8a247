"""What a person wrote with their own hands, and its sentences."""

from __future__ import annotations

import re
from functools import lru_cache

from loremap.model.words import STOP_WORDS, words
from loremap.sessions.learning.function_words import INTERROGATIVES

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<(?P<tag>[a-zA-Z][\w:-]{2,40})\b[^<>]{0,200}>.*?</(?P=tag)>", re.DOTALL)
_BRACKETED = re.compile(r"^\[[^\[\]\n]{3,120}\][^\n]*\n.*?^\[end\b[^\[\]\n]*\]", re.DOTALL | re.M)
_LOGGED = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d"
    r"|at [\w$.<>]+ ?\(|File \"|Traceback \(|[>|$#+]\s|(?:---|\+\+\+|@@) )"
)
_LETTERS = re.compile(r"[^\W\d_]|\s")
_MIN_LETTERS = 0.7
_LOG_CHARACTERS = 40
_END = re.compile(r"(?<=[^\s][.!?…])[\"')\]]*\s+|(?<=[。！？])\s*|\n+")
_ASKS = re.compile(r"[?？][\"')\]]*\s*$|^\s*¿")
_FIRST = re.compile(r"[^\W\d_]+")


def own_words(text: str) -> str:
    """`text` without what was pasted into it: code, logs, quoted mail, blocks between tags."""
    for pasted in (_FENCED, _TAGGED, _BRACKETED):
        text = pasted.sub("\n", text)
    return "\n".join(line for line in text.splitlines() if not _is_pasted(line)).strip()


def _is_pasted(line: str) -> bool:
    if _LOGGED.match(line):
        return True
    return (
        len(line) >= _LOG_CHARACTERS and len(_LETTERS.findall(line)) < _MIN_LETTERS * len(line)
    ) and any(mark in line for mark in "{};=|")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, whole and in order."""
    return tuple(part.strip() for part in _END.split(text) if part.strip())


def asks(sentence: str) -> bool:
    """Whether a sentence is a question: many who type leave its mark out."""
    if _ASKS.search(sentence):
        return True
    first = _FIRST.match(sentence.casefold())
    return first is not None and first[0] in INTERROGATIVES


@lru_cache(maxsize=1_024)
def telling(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    return frozenset(word for word in words(text) if word not in STOP_WORDS)


def contained(text: str, others: frozenset[str]) -> float:
    """The share of a text's telling words that others hold."""
    own = telling(text)
    return len(own & others) / len(own) if own else 0.0
