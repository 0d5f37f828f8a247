"""What facts may say: the closed table of predicates, and how English says each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Predicate:
    """One thing that can be said of an entity."""

    name: str
    forms: tuple[str, ...] = ()
    """Verbs between subject and object."""
    turned: tuple[str, ...] = ()
    """Verbs whose object is the subject of the fact: "the platform team owns billing"."""
    many: bool = True
    """Whether several may hold at once; where not, a new one contradicts the old."""
    object: Literal["entity", "value"] = "entity"


PREDICATES: dict[str, Predicate] = {
    one.name: one
    for one in (
        Predicate(
            "uses",
            ("uses", "use", "is using", "are using", "is built with", "is built on",
             "is written in", "are written in", "is written with", "is powered by"),
            ("is used by", "are used by", "powers"),
        ),
        Predicate(
            "runs_on",
            ("runs on", "run on", "runs in", "run in", "is deployed to", "is deployed on",
             "are deployed to", "is hosted on", "is hosted by", "listens on"),
            many=False,
        ),
        Predicate(
            "depends_on",
            ("depends on", "depend on", "relies on", "rely on", "imports", "calls", "talks to"),
            ("is called by", "is imported by"),
        ),
        Predicate(
            "owned_by",
            ("is owned by", "are owned by", "is maintained by", "are maintained by",
             "belongs to"),
            ("owns", "own", "maintains", "maintain"),
            many=False,
        ),
        Predicate(
            "located_in",
            ("is located in", "are located in", "is located at", "lives in", "live in",
             "lives under", "live under", "lives at", "resides in", "is defined in",
             "are defined in", "is stored in", "are stored in", "is kept in", "are kept in",
             "sits in", "is implemented in"),
            ("defines", "implements"),
            many=False,
        ),
        Predicate(
            "replaced_by",
            ("is replaced by", "was replaced by", "was replaced with", "has been replaced by",
             "has been replaced with", "were replaced by", "is superseded by",
             "was superseded by"),
            ("replaces", "replaced", "supersedes", "has replaced"),
            many=False,
        ),
        Predicate(
            "version_is",
            ("is pinned to", "is pinned at", "is at version", "is on version"),
            many=False,
            object="value",
        ),
        Predicate("default_is", ("defaults to", "default to"), many=False, object="value"),
        Predicate(
            "requires",
            ("requires", "require", "needs", "need"),
            ("is required by", "are required by", "is needed by"),
        ),
        Predicate("forbids", ("forbids", "forbid", "prohibits", "disallows", "bans")),
        Predicate("decided", ("decided on", "decided to use", "settled on", "chose")),
        Predicate("prefers", ("prefers", "prefer")),
        Predicate("works_on", ("works on", "work on", "is working on")),
        Predicate("knows", ("knows", "know")),
    )
}  # fmt: skip


def is_many(predicate: str) -> bool:
    """Whether an entity may have several facts of a predicate. Of "the R of X" there is one, as
    its article says; of any other relation that is not in the table there may be more."""
    known = PREDICATES.get(predicate)
    return known.many if known is not None else not predicate.startswith(DEFINITE)


DEFINITE = "the_"
"""What the predicates of a definite form begin with."""
