"""The tokens of a statement: words by stem, numbers by value, names as spelt, grammar as marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.keys import LIGHT, is_name, key_of, name_key
from loremap.lifecycle.statement.phrases import is_named, rewritten
from loremap.lifecycle.statement.pieces import STOPS, has_cjk
from loremap.lifecycle.statement.quantity import date_at, quantity_at
from loremap.model.words import stem

PARTICIPLE = re.compile(r"(?:ed|en|wn|ght|ept|elt|ilt|un|et|ut|ad|id|ent)$")
_BE = lexicon.COPULAS | {"get", "gets", "got", "being", "getting"}
_AFTER_BE = frozenset("not then only always never".split())
_ARTICLES = frozenset("the a an".split())
_POINTERS = _ARTICLES | {"this", "that"}
_PREPOSITIONS = frozenset("in on at for as of with via through against".split())
_VERBAL_MARKS = frozenset({"§must", "§may"})
_WISHES = frozenset(
    """prefers prefer wants want likes dislikes would hates loves asked said expects always never
    does""".split()
)


class Sort(Enum):
    """What a token is, which decides how strictly it must return in a repetition."""

    WORD = "word"
    LIGHT = "light"
    NUMBER = "number"
    NAME = "name"
    MARK = "mark"
    GHOST = "ghost"
    BREAK = "break"


@dataclass(frozen=True, slots=True)
class Token:
    """One unit of a statement: `key` is compared, `raw` is shown.

    A `passive` verb and an `agent` after "by" turn the order of a sentence round; a `complement`
    follows "is"; a `listed` token follows a comma.
    """

    key: str
    sort: Sort
    raw: str
    passive: bool = False
    agent: bool = False
    complement: bool = False
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """The pieces of a statement with what is known before reading them."""

    raws: list[str]
    lowered: list[str]
    language: str
    spelt: frozenset[str]

    def before(self, position: int) -> str:
        """The folded piece before `position`, or an empty text."""
        return self.lowered[position - 1] if position else ""

    def after(self, position: int) -> str:
        """The folded piece after `position`, or an empty text."""
        return "".join(self.lowered[position + 1 : position + 2])


def tokens_of(line: Line) -> Iterator[Token]:
    """The tokens of `line` in order, breaks between clauses included."""
    position = 0
    after_be = after_by = False
    while position < len(line.raws):
        after_be |= line.after(position) == "by" and line.lowered[position] not in _BE
        width, tokens = _at(line, position)
        for token in tokens:
            yield _voiced(token, after_be=after_be, after_by=after_by)
        last = line.lowered[position + width - 1]
        after_be = last in _BE or (after_be and last in _AFTER_BE)
        inverse = any(token.passive for token in tokens)
        after_by = last == "by" or inverse or (after_by and last in _ARTICLES)
        position += width


def _at(line: Line, position: int) -> tuple[int, list[Token]]:
    """How many pieces from `position` are read together, and the tokens they make."""
    if (date := date_at(line.lowered, position)) is not None:
        return 2, [Token(date, Sort.NUMBER, " ".join(line.raws[position : position + 2]))]
    width, keys = rewritten(line.lowered, position, line.language)
    if keys is not None:
        raw = " ".join(line.raws[position : position + width])
        return width, [_token(key, raw, line.language) for key in keys]
    if (quantity := quantity_at(line.lowered, position)) is not None:
        width, key = quantity
        return width, [Token(key, Sort.NUMBER, " ".join(line.raws[position : position + width]))]
    return 1, list(_single(line, position))


def _voiced(token: Token, *, after_be: bool, after_by: bool) -> Token:
    if not after_be and not after_by:
        return token
    verbal = token.sort in (Sort.WORD, Sort.LIGHT) or token.key in _VERBAL_MARKS
    shaped = PARTICIPLE.search(token.raw.split()[0].casefold()) is not None
    return replace(
        token,
        passive=token.passive or (after_be and shaped and verbal),
        complement=after_be and verbal,
        agent=after_by,
    )


def _single(line: Line, position: int) -> Iterator[Token]:
    raw, low = line.raws[position], line.lowered[position]
    if raw in STOPS:
        yield Token(raw, Sort.BREAK, raw)
    elif has_cjk(raw):
        yield from _cjk_token(raw)
    elif line.language == "cjk":
        yield _token(raw, raw, "cjk")
    elif line.language == "en" and _is_hollow(line, position):
        if low != "user":
            yield Token("write", Sort.LIGHT, raw)
    elif low == "one":
        yield from _pronoun(line, position)
    elif low in lexicon.FUNCTION[line.language] and not is_named(line.raws, position):
        if line.language == "en" and low in _PREPOSITIONS:
            yield Token(f"§{low}", Sort.GHOST, raw)
    else:
        yield _content(line, position)


def _content(line: Line, position: int) -> Token:
    raw, low = line.raws[position], line.lowered[position]
    if low == "change" and _renames(line, position):
        raw = "rename"
    token = _token(raw, raw, line.language)
    if token.sort in (Sort.WORD, Sort.LIGHT) and _is_verbatim(line, position):
        return replace(token, key=stem(low), sort=Sort.WORD)
    if token.sort is Sort.LIGHT and _coordinated(line, position):
        return replace(token, sort=Sort.WORD)
    return token


def _is_verbatim(line: Line, position: int) -> bool:
    """Whether a word stands for its spelling: quoted, capitalised, or part of a command."""
    if line.lowered[position] in line.spelt:
        return True
    if not position or line.language != "en":
        return False
    before = line.raws[position - 1]
    return before in lexicon.COMMANDS or (line.raws[position][0].isupper() and before not in STOPS)


def _renames(line: Line, position: int) -> bool:
    """Whether `change` is followed by a name and `to`, where it means rename."""
    return line.lowered[position + 2 : position + 3] == ["to"] and is_name(line.raws[position + 1])


def _is_hollow(line: Line, position: int) -> bool:
    """Whether `write` only ties its object to a place, or `the user` only stands for "I"."""
    low, before = line.lowered[position], line.before(position)
    if low == "written":
        return True
    if low == "write":
        return before in ("", "you", "we", "to")
    return (
        low == "user" and before in ("", "the") and position < 2 and line.after(position) in _WISHES
    )


def _coordinated(line: Line, position: int) -> bool:
    """Whether a noun is a member of a list, where it names a thing of its own."""
    before = line.before(position)
    if before in _ARTICLES and position > 1:
        before = line.before(position - 1)
    return before in ("and", "or")


def _pronoun(line: Line, position: int) -> Iterator[Token]:
    """`the JSON one` stands for the noun of another `the CSV exporter`."""
    if position < 2 or line.lowered[position - 2] not in _POINTERS:
        return
    for at, (article, noun) in enumerate(zip(line.lowered, line.raws[2:], strict=False)):
        content = noun not in STOPS and noun.casefold() not in lexicon.FUNCTION["en"]
        if at + 2 != position and article in _ARTICLES and content:
            yield _token(noun, noun, line.language)
            return


def _cjk_token(raw: str) -> Iterator[Token]:
    if "\u3040" <= raw[0] <= "\u309f":
        if any(negative in raw for negative in lexicon.JA_NEGATIVE):
            yield Token("§not", Sort.MARK, raw)
    elif raw in lexicon.CJK_NEGATORS:
        yield Token("§not", Sort.MARK, raw)
    elif raw not in lexicon.CJK_LIGHT:
        yield Token(raw, Sort.WORD, raw)


def _token(text: str, raw: str, language: str) -> Token:
    if text == "§depended":
        return Token(stem("depend"), Sort.WORD, raw, passive=True)
    if text.startswith("§"):
        return Token(text, Sort.GHOST if text in lexicon.GHOSTS else Sort.MARK, raw)
    if text.isdecimal() or text in ("%", "times"):
        return Token(text, Sort.NUMBER, raw)
    if is_name(text):
        return Token(name_key(text), Sort.NAME, raw)
    key = key_of(text.casefold(), language)
    light = language == "en" and key in LIGHT
    return Token(key, Sort.LIGHT if light else Sort.WORD, raw)
