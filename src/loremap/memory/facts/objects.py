"""What of the words behind a verb its object is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.memory.facts.names import CALENDAR, Known, Names, bare, is_name, is_torn
from loremap.model.predicate import Predicate
from loremap.model.words import names_in

MAX_VALUE_WORDS = 4
_TAIL = re.compile(
    r"(?:^|\s+)(?:because|since|so|which|who|that|while|where|when|whenever|via|as|instead|rather|due"
    r"|after|before|until|till|but|by|for|with|to|from|through|across|during|under|over|per"
    r"|behind|except|only|everywhere|in|on|at|of|and|or|if|unless|every|once|twice|again"
    r"|too|even|just|here|there|now|today|than|regardless|thanks|[a-z]+ly)\b.*$"
)
"""What follows an object and is no part of it."""
_NOTHING = re.compile(
    r"^(?:any|some|every|each|all|no|none|it|them|this|that|these|those|what|whatever|one|"
    r"something|nothing|anything|everything|its|his|her|their|your|several|another|other|more|most"
    r"|less|few|many|much|up|out|off|down|us|you|me|to|too|so|very|being|be)\b",
    re.IGNORECASE,
)
"""Words with which no name of a thing begins."""
_LEAD = re.compile(r"^(?:both|either|either of|the|a|an|our|my|version|port|at least)\s+", re.I)
_NEXT = re.compile(r"^\s*(?:,|and|&|plus|as well as|or)\s+(?:(?:on|to|in|by|with|from)\s+)?")
_NEXT_PURPOSE = re.compile(
    r"^\s+for\s+(?:[\w-]+\s+){1,3}and\s+(?:(?:on|to|in|by|with|from)\s+)?(?=\S+\s+for\s)"
)
"""What stands between things with a purpose each: "A for reads and B for writes"."""
_VERSIONED = re.compile(r"^[a-z][\w+#-]*\s+v?\d+(?:\.\d+)*(?=\s|$)")
_HYPHENED = re.compile(r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$")
_JOINS = frozenset("of de la von van & du".split())
_PROPER = re.compile(r"^[^\W\d_a-z]")
_MARKED = re.compile(r"^`([^`]+)`")
_PATH = re.compile(r"/|^\.\w|\.[a-z]{1,5}$")


def objects(phrase: str, predicate: Predicate, names: Names) -> Iterator[Known | str]:
    """The things or values a phrase begins with, those of a list too."""
    rest = phrase
    while rest:
        rest = _LEAD.sub("", _LEAD.sub("", rest))
        size, thing = _first(rest, predicate, names)
        if thing is None:
            return
        yield thing
        following = _NEXT.match(rest[size:]) or _NEXT_PURPOSE.match(rest[size:])
        if following is None or not predicate.many:
            return
        rest = rest[size + following.end() :]
        if isinstance(thing, str):
            return


def _first(rest: str, predicate: Predicate, names: Names) -> tuple[int, Known | str | None]:
    """The first thing in a phrase, and how many letters of it that takes."""
    said = named_at(rest, names)
    if predicate.object == "path":
        word = rest.partition(" ")[0].rstrip(".,")
        path = bare(word)
        return len(word), (names.named(path, first=False) or path) if _PATH.search(path) else None
    if predicate.object == "number":
        value = _value(rest)
        return len(value), value if re.search(r"\d", value) and len(value.split()) <= 2 else None
    if said is not None and not (predicate.object == "value" and _goes_on(rest, *said, names)):
        return said
    if predicate.object == "entity":
        return 0, None
    value = _value(rest)
    fits = 0 < len(value.split()) <= MAX_VALUE_WORDS and not _NOTHING.match(value)
    return len(value), (bare(value) or None) if fits and not is_torn(value) else None


def _goes_on(rest: str, size: int, thing: Known, names: Names) -> bool:
    """Whether a name only begins what is meant: "British spelling"."""
    after = rest[size:].lstrip(" ").partition(" ")[0].rstrip(".,")
    tail = _TAIL.match(f" {after}") is not None
    return bool(after) and after.isalpha() and not tail and thing.key not in names.known


def named_at(rest: str, names: Names) -> tuple[int, Known] | None:
    """The name a phrase begins with: the longest that is known, or a proper one, or one of code."""
    words = rest.split(" ")
    for size in range(min(6, len(words)), 0, -1):
        text = " ".join(words[:size])
        if (found := names.find(text.rstrip(".,"))) is not None and not _ends_lower(words, size):
            return len(text), found
    if (marked := _MARKED.match(rest)) is not None:
        return marked.end(), _new(marked[1], names)
    size = _proper(words)
    versioned = _VERSIONED.match(rest)
    text = " ".join(words[:size]).rstrip(".,") or (versioned[0] if versioned else "")
    if versioned or (len(words) == 1 and _HYPHENED.match(text or rest)):
        return len(text or rest), _new(text or rest, names)
    if not size and is_name(words[0].rstrip(".,")):
        text = words[0].rstrip(".,")
    if not text or text.lower() in CALENDAR or not (is_name(text) or names_in(text)):
        return None
    return len(text), _new(text, names)


def _ends_lower(words: list[str], size: int) -> bool:
    """Whether a name goes on: "API gateway" is not the API, nor "MySQL 8" MySQL."""
    if size < len(words) and re.match(r"^v?\d+(?:\.\d+)*[.,]?$", words[size]):
        return True
    return size < len(words) and bool(_PROPER.match(words[size])) and bool(_PROPER.match(words[0]))


def _new(text: str, names: Names) -> Known:
    found = names.named(text, first=False)
    if found is not None:
        return found
    return Known.called(text)


def _proper(words: list[str]) -> int:
    """How many words at the beginning are a proper name; a number may be its end."""
    size = 0
    for at, word in enumerate(words):
        joins = word in _JOINS and size == at > 0 and at + 1 < len(words)
        if _PROPER.match(word) or (at and size == at and re.match(r"^v?\d", word)):
            size = at + 1
        elif not (joins and _PROPER.match(words[at + 1])):
            break
        else:
            size = at + 1
    return size


def _value(rest: str) -> str:
    if (marked := _MARKED.match(rest)) is not None:
        return marked[0]
    return _TAIL.sub("", rest).strip()
