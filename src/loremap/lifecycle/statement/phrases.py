"""Phrases of a statement replaced by the marks and words that stand for them."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.pieces import STOPS
from loremap.lifecycle.statement.quantity import quantity_at

Keys = tuple[str, ...]
_PREFERENCE = frozenset("prefer prefers preferred favour favor choose chose pick picked".split())
_NAMED = frozenset("Go Next A Make Like Will GET PUT".split())
_PASSIVE = lexicon.COPULAS | {"get", "gets", "got", "being"}
_FRONTED = {
    word: mark
    for mark, words in {
        "§seq": "before after",
        "§when": "when if once unless whenever",
        "§because": "because since",
        "§while": "while during",
    }.items()
    for word in words.split()
}
"""Words that open a clause which may stand before or after its main clause."""


def rewritten(lowered: list[str], position: int, language: str) -> tuple[int, Keys | None]:
    """How many words from `position` make a known phrase, and what stands for it."""
    word = lowered[position]
    if language == "en":
        if word in ("over", "under"):
            keys = _bounded(lowered, position)
            return 1, keys
        if word == "used" and position and lowered[position - 1] in _PASSIVE:
            return 1, None
    for phrase, keys in _PHRASES.get(language, {}).get(word, ()):
        if lowered[position : position + len(phrase)] == phrase:
            return len(phrase), keys
    return 1, None if language == "en" else lexicon.LOANED.get(word)


def is_named(raws: Sequence[str], position: int) -> bool:
    """Whether a capital inside a sentence makes a name of a function word: Go, plan A."""
    return position > 0 and raws[position - 1] not in STOPS and raws[position] in _NAMED


def clauses_settled(raws: list[str]) -> tuple[list[str], str]:
    """`Before A, do B` as `do B before A`, `A, so B` as `B because A`, and the mark that moved."""
    if "," not in raws:
        return raws, ""
    comma = raws.index(",")
    ends = [at for at, raw in enumerate(raws) if at > comma and raw in ".;!?"]
    end = ends[0] if ends else len(raws)
    head, body, rest = raws[:comma], raws[comma + 1 : end], raws[end:]
    opener = _FRONTED.get(head[0].casefold()) if head else None
    if opener:
        return [*body, *head, *rest], opener
    if [word.casefold() for word in body[:1]] == ["so"] and body[1:2] != ["that"]:
        return [*body[1:], "because", *head, *rest], "§because"
    return raws, ""


def _bounded(lowered: list[str], position: int) -> Keys:
    """`over 10` bounds a number, `prefer a over b` ranks two things, else it is a plain word."""
    word = lowered[position]
    following = position + 1
    if following < len(lowered) and quantity_at(lowered, following) is not None:
        return ("§above",) if word == "over" else ("§below",)
    if word == "over" and not _PREFERENCE.isdisjoint(lowered[:position]):
        return ("§instead",)
    return () if lowered[following : following + 1] == ["to"] else (word,)


def _by_first_word(table: dict[Keys, Keys]) -> dict[str, list[tuple[list[str], Keys]]]:
    """The phrases under their first words, the longest first."""
    phrases: dict[str, list[tuple[list[str], Keys]]] = {}
    for phrase in sorted(table, key=len, reverse=True):
        phrases.setdefault(phrase[0], []).append((list(phrase), table[phrase]))
    return phrases


_PHRASES = {
    language: _by_first_word(table)
    for language, table in {"en": lexicon.REWRITES, **lexicon.FOREIGN_REWRITES}.items()
}
