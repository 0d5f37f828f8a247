"""What memories speak of, by the names it goes by; one rule says which names are one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from loremap.model.words import plain


class EntityKind(StrEnum):
    """What sort of thing an entity is."""

    PERSON = "person"
    PROJECT = "project"
    CONCEPT = "concept"
    DECISION = "decision"
    PREFERENCE = "preference"
    FILE = "file"
    TOOL = "tool"
    SERVICE = "service"
    MODULE = "module"
    PACKAGE = "package"


class NameSource(StrEnum):
    """Where a name of an entity is from."""

    MEMORY = "memory"
    ALIAS = "alias"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that memories speak of; its embedding lies in the store."""

    id: str
    kind: EntityKind
    name: str
    key: str
    project_id: str = ""
    """Empty where it is known everywhere."""
    mention_count: int = 0
    last_mentioned: datetime | None = None
    aliases: tuple[str, ...] = ()


USER_NAME, USER_KEY = "User", "user"
"""The person who works here, in facts of their own."""

_ARTICLE = re.compile(r"^(?:the|a|an|our|my|this)\s+", re.IGNORECASE)
_CALL = re.compile(r"\(\)$")
_RUNTIME = re.compile(r"(?<=\w\w)(?:[.\s_-]?js|[\s_-]py)$", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=[^\Wsui])s$")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\.(?=\d)")
_SIGNS = re.compile(r"[^\w+#%.]|(?<!%)\.|_")
_KEPT_DOT = "%."


@lru_cache(maxsize=65_536)
def entity_key(name: str) -> str:
    """What of a name is compared: not its case, accents, article, punctuation, plural, nor the
    ending that names its runtime. A path is told from its parts by its slashes."""
    said = _ARTICLE.sub("", name.strip().strip("`'\"“”‘’").strip())
    if "/" in said.strip("/"):
        return plain(said.strip("/"))
    folded = plain(_RUNTIME.sub("", _CALL.sub("", said))).replace("%", "")
    key = _SIGNS.sub("", _BETWEEN_DIGITS.sub(_KEPT_DOT, folded)).replace(_KEPT_DOT, ".")
    return _PLURAL.sub("", key) if len(key) > len("gas") and key[-1:].isalpha() else key


_ROLES: dict[str, EntityKind] = {
    "service": EntityKind.SERVICE,
    "server": EntityKind.SERVICE,
    "api": EntityKind.SERVICE,
    "worker": EntityKind.SERVICE,
    "gateway": EntityKind.SERVICE,
    "module": EntityKind.MODULE,
    "package": EntityKind.PACKAGE,
    "library": EntityKind.PACKAGE,
    "file": EntityKind.FILE,
    "project": EntityKind.PROJECT,
    "repo": EntityKind.PROJECT,
    "repository": EntityKind.PROJECT,
    "tool": EntityKind.TOOL,
    "daemon": EntityKind.SERVICE,
    "app": EntityKind.SERVICE,
    "job": EntityKind.SERVICE,
    "component": EntityKind.MODULE,
    "crate": EntityKind.PACKAGE,
    "plugin": EntityKind.PACKAGE,
}
"""Words behind a name that say what it is."""


def role_of(name: str) -> EntityKind | None:
    """What the last word of a name says it is; None where it says nothing."""
    return _ROLES.get(name.rpartition(" ")[2].lower())


def keys_of(name: str) -> Sequence[str]:
    """The keys a name may be known under, the fullest first: "the payments service" may be known
    as payments."""
    head, _, last = name.strip().rpartition(" ")
    shorter = [entity_key(head)] if head and last.lower() in _ROLES else []
    return [key for key in (entity_key(name), *shorter) if key]
