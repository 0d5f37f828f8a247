"""Which words of a sentence are a name, and what is known by it."""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from loremap.memory.admission.marks import NEGATIONS, UNIVERSAL
from loremap.model.entity import Entity, EntityKind, entity_key, keys_of, role_of
from loremap.model.words import STOP_WORDS, names_in

JOINS = frozenset(
    "of the de du la le al von van der and & in for on to a an at or by as 's".split()
)
"""Small words that stand inside names."""
MARKED = 3
"""Parts of a text that is marked as code as a whole."""
PRONOUNS = frozenset(
    "nobody everybody somebody anybody everyone someone anyone they he she we it this that these "
    "those who which what there here one nothing everything something anything others".split()
)
CALENDAR = frozenset(
    name.lower() + end for name in (*day_name, *month_name) if name for end in ("", "s")
)
LINKS = frozenset("is are was were".split())
_MARKED = re.compile(r"^(?:the |our )?`([^`]+)` [a-z]+$")
_NO_NAME = re.compile(r"^[^\w@./~]|[`*]|['’](?:s|ll|re|ve|d|m|t)$", re.IGNORECASE)
"""What is left of marks and of shortened words."""
_PROPER = re.compile(r"^(?:[a-z]{1,3}['’-])?[^\W\d_a-z]")
_STANDING = re.compile(r"(?<=[\w,] )(?:[A-Z][\w'’+#-]*(?:\.[\w-]+)*)(?: [A-Z][\w'’+#-]*)*")


@dataclass(frozen=True, slots=True)
class Known:
    """A thing by one of its names; two are one where key and kind are."""

    key: str
    name: str = field(compare=False)
    kind: EntityKind
    loose: bool = field(default=False, compare=False)
    """Whether a text says better than this how the name is written."""

    @classmethod
    def called(cls, name: str) -> Known:
        """A new thing of that name."""
        return cls(keys_of(name)[0], name, kind_of(name))


@dataclass(frozen=True, slots=True)
class Names:
    """What is known by name in one place: entities of the store, code, packages, tags, aliases."""

    known: Mapping[str, Known] = field(default_factory=dict)
    """By key."""
    standing: frozenset[str] = frozenset()
    """The keys of proper names that stand inside sentences of the store."""
    written: Mapping[str, str] = field(default_factory=dict)
    """How manifests and paths write a name, by key: so it is told."""

    def find(self, name: str) -> Known | None:
        """What goes by a name, as it is written; None where nothing does."""
        marked = _MARKED.search(name)
        keys = [*keys_of(name), *(keys_of(marked[1])[:1] if marked else ())]
        found = next((self.known[key] for key in keys if key in self.known), None)
        if found is None or not found.loose:
            return found
        said = bare(name)
        ways = (said, bare(said.rpartition(" ")[0]), marked[1] if marked else "")
        spelt = next((way for way in ways if entity_key(way) == found.key), found.name)
        one = spelt.removesuffix("s")  # the key knows no plural
        if entity_key(one) == found.key and not found.name.endswith("s"):
            spelt = one
        return replace(found, name=spelt, loose=False)

    def named(self, text: str, *, first: bool) -> Known | None:
        """What a noun phrase names: something known, or what is new and has a proper name. `first`
        says that it begins its sentence, where a capital letter tells nothing."""
        if (found := self.find(text)) is not None:
            return found
        name = bare(text)
        keys = keys_of(name)
        if _NO_NAME.search(name) or name.lower() in NEGATIONS | UNIVERSAL:
            return None
        marked = len(text.split("`")) == MARKED and " " not in text
        if not keys or name.lower() in PRONOUNS | CALENDAR or not (marked or is_name(name)):
            return None
        alone = " " not in name and name[1:] == name[1:].lower() and not names_in(name)
        if first and " " in name and name.split(" ")[0].lower() in STOP_WORDS:
            return None
        if first and alone and text[:1] != "`" and keys[0] not in self.standing:
            return None
        return Known(keys[0], name, kind_of(name))

    def compound(self, text: str) -> Known | None:
        """What an article and a few nouns name of which one is a name: "the device SDK"."""
        words = bare(text).split()
        capitals = text[:1].isupper() and bool(words) and words[0].isupper() and len(words[0]) > 1
        tells = any(is_name(word) for word in words[0 if _ARTICLE.match(text) else 1 :])
        small = is_torn(text) or any(word.lower() in JOINS | PRONOUNS | LINKS for word in words)
        if not 1 < len(words) <= MAX_NOUNS or small or not (tells or capitals):
            return None
        return None if "," in text or not bare(text)[-1].isalnum() else Known.called(bare(text))

    def headed(self, text: str) -> Known | None:
        """What a name with plain nouns behind it names: "Bath football club", "Redis cache"."""
        words = bare(text).split()
        names = next((at for at, word in enumerate(words) if word.islower()), len(words))
        head, rest = " ".join(words[:names]), words[names:]
        if not head or not 0 < len(rest) <= MAX_NOUNS or (JOINS | LINKS) & set(rest):
            return None
        if self.named(head, first=True) is None:
            return None
        return Known(keys_of(bare(text))[0], bare(text), kind_of(text))


_ARTICLE = re.compile(r"^(?:the|a|an|our|my|this)\s+", re.IGNORECASE)


def bare(text: str) -> str:
    """A noun phrase without its article and its marks of code and quotation."""
    said = _ARTICLE.sub("", text.strip()).strip("`'\"“”‘’ ")
    return said.removesuffix("()")


def is_torn(text: str) -> bool:
    """Whether a piece of a sentence was cut inside a mark of code, or before what is owned."""
    return text.count("`") % 2 == 1 or text.rstrip().endswith(("'s", "’s"))


def is_name(text: str) -> bool:
    """Whether words are a proper name or a name of code: it begins and ends with a capital letter,
    or is one word that looks like code."""
    tokens = text.split()
    if not tokens or len(tokens) > MAX_NAME_WORDS:
        return False
    if len(tokens) == 1 and (text in names_in(text) or "/" in text):
        return True
    if tokens[0].lower() in STOP_WORDS and len(tokens) == 1:
        return False
    inner = tokens[1:-1]
    begins = _PROPER.match(tokens[0]) or (tokens[0].isdigit() and len(tokens) > 1)
    ends = begins and (
        _PROPER.match(tokens[-1]) or (_PROPER.match(tokens[0]) and tokens[-1][0].isdigit())
    )
    return bool(ends) and all(_PROPER.match(one) or one.lower() in JOINS for one in inner)


MAX_NAME_WORDS = 10
MAX_NOUNS = 3
_FILE = re.compile(r"(?:^[\w.-]+/|/|\.)[\w.-]*\.[a-z]{1,4}$|/")


def kind_of(name: str) -> EntityKind:
    """What a new name most likely names."""
    return role_of(name) or (EntityKind.FILE if _FILE.search(name) else EntityKind.CONCEPT)


def standing_names(sentence: str) -> Iterator[str]:
    """The proper names that stand inside a sentence, where a capital letter tells."""
    yield from _STANDING.findall(sentence)


def known_from(entities: Iterator[Entity] | list[Entity]) -> dict[str, Known]:
    """What entities are known by, by key."""
    found: dict[str, Known] = {}
    for one in entities:
        known = Known(one.key, one.name, one.kind)
        for key in (one.key, *(key for name in one.aliases for key in keys_of(name)[:1])):
            found.setdefault(key, known)
    return found
