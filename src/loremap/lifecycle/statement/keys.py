"""The key by which a word or a name is compared, and the classes of alternatives it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import Stemmer

from loremap.lifecycle import lexicon
from loremap.model.words import stem

_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]")
_SIGNS = frozenset("_/\\@#.:$~*=+&|%^")
_GERMAN_PARTICIPLE = re.compile(r"ge(\w{3,})t")
_STEMMERS = {code: Stemmer.Stemmer(name) for code, name in lexicon.SNOWBALL.items()}
_CANONICAL = {stem(word): stem(group[0]) for group in reversed(lexicon.SYNONYMS) for word in group}


def key_of(word: str, language: str) -> str:
    """The stem of a folded word, the same for all words of a group of synonyms."""
    if language == "cjk":
        return word
    stemmed = _english(word) if language == "en" else _foreign(word, language)
    return _CANONICAL.get(stemmed, stemmed)


def is_name(text: str) -> bool:
    """Whether `text` is spelt like code: a path, a flag, an identifier, a mixed-in digit."""
    return (
        text.startswith("-")
        or not _SIGNS.isdisjoint(text)
        or any(char.isdigit() for char in text)
        or _CAMEL.search(text) is not None
    )


def name_key(text: str) -> str:
    """A name as spelt, but for the case of a capitalised one: `GitHub` is `github`."""
    humped = text[0].islower() and not text.islower()
    return text if humped or "_" in text or text.startswith("-") else text.casefold()


def _english(word: str) -> str:
    base = lexicon.IRREGULAR.get(word, word)
    return base if base in lexicon.UNSTEMMED else stem(base)


def _foreign(word: str, language: str) -> str:
    known = lexicon.FOREIGN.get(word, word)
    if language != "de":
        return str(_STEMMERS[language].stemWord(known))
    bare = _GERMAN_PARTICIPLE.fullmatch(known)
    return str(_STEMMERS["de"].stemWord(bare[1] if bare else known)).removesuffix("e")


def _members(groups: Iterable[Sequence[str]]) -> dict[str, frozenset[int]]:
    classes: dict[str, frozenset[int]] = {}
    for number, members in enumerate(groups):
        for key in {key_of(member, "en") for member in members}:
            classes[key] = classes.get(key, frozenset()) | {number}
    return classes


OPPOSITES = _members(lexicon.ANTONYMS)
"""The groups of antonyms of which each key is a member."""
ALTERNATIVES = _members(lexicon.CLASSES)
"""The closed classes of which each key is a member."""
LIGHT = frozenset(key_of(word, "en") for word in lexicon.LIGHT)
