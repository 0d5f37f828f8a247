"""What the comparison needs to know of one statement, read once and kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.negation import negations_settled
from loremap.lifecycle.statement.phrases import clauses_settled
from loremap.lifecycle.statement.pieces import STOPS, has_cjk, pieces, quoted, unified
from loremap.lifecycle.statement.tokens import PARTICIPLE, Line, Sort, Token, tokens_of

MAX_CHARS = 4_000
"""How much of a text is read."""
SEQUENCE = {"§before": 1, "§then": 1, "§after": -1}
"""Marks of order in time: which side of the mark comes first."""
_ARTICLES = frozenset("a an the please".split())
_CYRILLIC = re.compile("[а-яё]", re.I)
_PAST = re.compile(r"[^e]ed$(?<!embed)")
_SUBJECTS = frozenset("i we they he she you".split())
_PASTS = frozenset("did got made went ran kept put".split()) | frozenset(
    past for past in lexicon.IRREGULAR if not past.endswith("n")
)
_ROLES = {
    word: role
    for role, words in {
        "every": "every each per",
        "for": "for",
        "in": "in within",
        "at": "at on",
        "by": "by",
        "to": "to into",
        "from": "from",
    }.items()
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A statement read for comparison.

    `settled` is `tokens` with a fronted clause (opened by the mark `moved`) put last; `surface` is
    the words as written; `roles` holds for each number the prepositions it stands after.
    """

    tokens: tuple[Token, ...]
    settled: tuple[Token, ...]
    moved: str
    surface: tuple[str, ...]
    bag: Counter[str]
    sorts: dict[str, Sort]
    raws: dict[str, str]
    ghosts: frozenset[str]
    roles: dict[str, frozenset[str]]
    tense: str
    speaker: str
    opening: str
    language: str


@lru_cache(maxsize=8_192)
def meaning_of(text: str) -> Meaning:
    """The meaning of the first 4,000 characters of `text`."""
    plain = unified(text[:MAX_CHARS])
    raws = pieces(plain)
    lowered = [raw.casefold() for raw in raws]
    language = _language(lowered, plain)
    spelt = quoted(plain)
    tokens = _read(raws, language, spelt)
    ordered, moved = clauses_settled(raws) if language == "en" else (raws, "")
    counted = [token for token in tokens if token.sort is not Sort.GHOST]
    return Meaning(
        tokens=tokens,
        settled=_read(ordered, language, spelt) if moved else tokens,
        moved=moved,
        surface=tuple(word for word in lowered if word not in STOPS and word not in _ARTICLES),
        bag=Counter(map(bag_key, counted)),
        sorts={bag_key(token): token.sort for token in counted},
        raws={bag_key(token): token.raw for token in counted},
        ghosts=frozenset(token.key for token in tokens if token.sort is Sort.GHOST),
        roles=_roles(tokens, lowered) if language == "en" else {},
        tense=_tense(lowered),
        speaker="".join(sorted({"me" if word == "my" else word for word in lowered} & {"i", "me"})),
        opening=lowered[0] if lowered else "",
        language=language,
    )


def bag_key(token: Token) -> str:
    """The key under which a token is counted: before, after and then are one, turned or not."""
    return "§seq" if token.key in SEQUENCE else token.key


def _read(raws: list[str], language: str, spelt: frozenset[str]) -> tuple[Token, ...]:
    line = Line(raws, [raw.casefold() for raw in raws], language, spelt)
    settled = negations_settled(tokens_of(line))
    marked = [
        replace(token, listed=True) if before.key in ",、，" else token
        for before, token in pairwise(settled)
    ]
    return tuple(token for token in (*settled[:1], *marked) if token.sort is not Sort.BREAK)


def _language(lowered: Sequence[str], text: str) -> str:
    if has_cjk(text):
        return "cjk"
    if _CYRILLIC.search(text):
        return "ru"
    hits = {code: sum(word in tell for word in lowered) for code, tell in lexicon.TELLTALE.items()}
    best = max(hits, key=lambda code: hits[code])
    english = sum(word in lexicon.FUNCTION["en"] for word in lowered)
    return best if hits[best] > english else "en"


def _tense(lowered: Sequence[str]) -> str:
    """`past`, `perfect`, `present` or `future`, by auxiliaries and by verbs after a pronoun."""
    if "will" in lowered:
        return "future"
    if not {"is", "are", "am"}.isdisjoint(lowered):
        return "present"
    if not {"was", "were", "had"}.isdisjoint(lowered):
        return "past"
    for word, after in pairwise(lowered):
        if word in ("has", "have") and PARTICIPLE.search(after):
            return "perfect"
        if word in _SUBJECTS and (_PAST.search(after) or after in _PASTS):
            return "past"
    return ""


def _roles(tokens: Sequence[Token], lowered: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each number the preposition before it: `for 5 minutes` is not `every 5 minutes`."""
    roles: dict[str, set[str]] = {}
    at = 0
    for token in tokens:
        if token.sort is not Sort.NUMBER:
            continue
        first = token.raw.split()[0].casefold()
        while at < len(lowered) and lowered[at] != first:
            at += 1
        role = _ROLES.get(lowered[at - 1]) if 0 < at < len(lowered) else None
        roles.setdefault(token.key, set()).update({role} if role else ())
        at += 1
    return {key: frozenset(said) for key, said in roles.items()}
