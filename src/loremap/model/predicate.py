"""What facts may say: the closed table of predicates, and how English says each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Predicate:
    """One thing that can be said of an entity."""

    name: str
    forms: str = ""
    """Verbs between subject and object, one a comma; "is" stands for every form of "to be", a dash
    for a few words."""
    turned: str = ""
    """Verbs whose object is the subject of the fact: "the platform team owns billing"."""
    many: bool = True
    """Whether several may hold at once; where not, a new one contradicts the old."""
    object: Literal["entity", "value", "number", "path"] = "entity"
    """What it says of its subject: a thing with a name; whatever its words are; something with a
    digit in it; a place among files."""


PREDICATES: dict[str, Predicate] = {
    one.name: one
    for one in (
        Predicate(
            "uses",
            "uses, makes use of, makes - use of, is using, leans on, leverages, employs, utilizes, "
            "wraps, is based on, is backed by, is powered by, is built around, is built on, is "
            "built on top of, sits on top of, goes through, has adopted, handles - with, handles "
            "- through, does - with, manages - with",
            "is used by, powers, backs",
        ),
        Predicate(
            "runs_on",
            "runs on, runs under, runs on top of, is run on, is hosted on, is hosted by, is "
            "running on, executes on, sits on",
            "hosts",
            many=False,
        ),
        Predicate(
            "deployed_to",
            "is deployed to, is deployed on, is deployed in, deploys to, is shipped to, ships to, "
            "is rolled out to, is rolled out on, is released to, is published to, is pushed to, is "
            "live on, goes out to, goes live on, lands on",
            many=False,
        ),
        Predicate(
            "listens_on",
            "listens on, listens at, listens for - on, is listening on, binds to, is bound to, "
            "serves on, serves - on, answers on, comes up on, accepts connections on, is exposed "
            "on, exposes - on, is served on, is reachable on, is reachable at, is available on, "
            "runs on port, is on port, uses port, starts on port, binds port",
            many=False,
            object="value",
        ),
        Predicate(
            "depends_on",
            "depends on, relies on, is dependent on, is coupled to, is tied to, has - dependency "
            "on, hangs off",
        ),
        Predicate(
            "calls",
            "calls, talks to, is talking to, communicates with, connects to, queries, polls, hits, "
            "invokes, contacts, pulls from, pulls - from, fetches from, fetches - from, requests - "
            "from, posts to, makes calls to, makes requests to, sends requests to, reaches out to",
            "is called by, is queried by, is invoked by, is polled by",
        ),
        Predicate(
            "owned_by",
            "is owned by, is the responsibility of, is in the hands of, is under the care of, has "
            "- as its owner",
            "owns, is responsible for, is in charge of, is the owner of, has ownership of",
            many=False,
        ),
        Predicate(
            "maintained_by",
            "is maintained by, is looked after by, is kept alive by, is cared for by, is taken "
            "care of by, is kept up to date by, is supported by",
            "maintains, looks after, takes care of, is the maintainer of",
        ),
        Predicate(
            "located_in",
            "is located in, is located at, is located under, is in, is under, is at, lives in, "
            "lives under, lives at, lives inside, sits in, sits under, sits at, lies in, lies "
            "under, resides in, resides at, resides under, is kept in, is kept under, is kept at, "
            "is stored in, is stored under, is stored at, is placed in, is housed in, is defined "
            "in, is declared in, is found in, is found under, is found at, is checked in under, is "
            "checked in at, can be found in, can be found under, can be found at, has its home in, "
            "is implemented in, moved to, has moved to, was moved to",
            many=False,
            object="path",
        ),
        Predicate(
            "stores_in",
            "is stored in, is persisted in, is persisted to, is saved in, is saved to, is kept in, "
            "is cached in, is written to, stores - in, keeps - in, holds - in, persists - in, "
            "persists - to, saves - to, saves - in, writes - to, caches - in, puts - in, puts - "
            "into, has its data in",
            many=False,
        ),
        Predicate(
            "written_in",
            "is written in, is implemented in, is coded in, is programmed in, is done in",
            many=False,
        ),
        Predicate(
            "built_with",
            "is built with, is built using, is built by, is built via, is bundled with, is bundled "
            "by, is packaged with, is packaged by, is generated by, is generated with, is compiled "
            "with, is compiled by, is made with, builds with, builds via",
        ),
        Predicate(
            "tested_with",
            "is tested with, is tested by, is tested using, is tested through, is tested via, is "
            "exercised with, is exercised by, runs its tests with, runs its tests under, runs its "
            "tests on, runs its tests through",
        ),
        Predicate(
            "configured_by",
            "is configured by, is configured in, is configured via, is configured through, is "
            "configured with, is configured from, is set up in, is set up through, takes its - "
            "from, gets its - from, reads its - from, reads its - out of, loads its - from, keeps "
            "its config in, keeps its configuration in, keeps its settings in, has its config in, "
            "is controlled by, is driven by, is governed by",
            "configures",
        ),
        Predicate(
            "part_of",
            "is part of, is a part of, is a component of, is a component in, is a module of, is a "
            "module in, is a submodule of, is a submodule in, is a member of, is a package in, is "
            "a package of, is a crate in, is a subproject of, is a subpackage of, is a subsystem "
            "of, is included in, is contained in, sits inside, ships as part of",
            "contains, consists of, comprises, includes",
            many=False,
        ),
        Predicate(
            "replaced_by",
            "is replaced by, is replaced with, was replaced by, was replaced with, is superseded "
            "by, was superseded by, is succeeded by, was succeeded by, gave way to, has given way "
            "to, made way for, was retired in favour of, was retired in favor of, was dropped in "
            "favour of, was dropped in favor of, was dropped for, got retired in favour of, got "
            "replaced by, got replaced with, was swapped for, was swapped out for, was swapped "
            "with, was ditched for, was abandoned for",
            "replaces, replaced, has replaced, supersedes, has superseded, took the place of, "
            "takes the place of, has taken the place of, took over from, takes over from, has "
            "taken over from, succeeds, is the successor of, is the successor to, is the "
            "replacement for, is the replacement of",
            many=False,
        ),
        Predicate(
            "version_is",
            "is pinned to, is pinned at, is pinned on, is locked to, is locked at, is fixed at, is "
            "frozen at, is held at, is stuck at, is stuck on, stays at, stays on, sits at, "
            "remains at, remains on, is kept at, is capped at, is at version, is on version, is "
            "at, is on",
            many=False,
            object="number",
        ),
        Predicate(
            "default_is",
            "defaults to, falls back to, has a default of, ships with a default of, is set to - by "
            "default",
            many=False,
            object="value",
        ),
        Predicate(
            "requires",
            "requires, needs, wants, demands, insists on, calls for, only works with, must have",
            "is required by, is required for, is needed by, is needed for, is a prerequisite of, "
            "is a prerequisite for, is mandatory for",
        ),
        Predicate(
            "forbids",
            "forbids, prohibits, disallows, bans",
            "is forbidden in, is banned in, is banned from, is prohibited in, is off limits in, "
            "has no place in",
            object="value",
        ),
        Predicate("decided"),
        Predicate(
            "prefers",
            "prefers, favours, favors, would rather have, would rather use, is fond of, is a fan "
            "of, has - preference for",
            object="value",
        ),
        Predicate(
            "works_on",
            "works on, is working on, is hacking on, is busy with, is assigned to, spends - on, "
            "contributes to, develops, is developing",
            "is worked on by, is being worked on by, is developed by",
            object="value",
        ),
        Predicate(
            "alias_of",
            "is another name for, is short for, is shorthand for, is an alias for, is an alias of, "
            "stands for, is the codename of, is the codename for, is the nickname of, is the "
            "nickname for, is the internal name of, is the internal name for, is the old name of, "
            "is the old name for, is what we call, refers to, is an abbreviation of, is an "
            "abbreviation for",
            "is also known as, is also called, is known as, is nicknamed, is called, is aka, aka, "
            "goes by the name of, goes by, answers to, is referred to as",
        ),
        Predicate("knows", "knows"),
    )
}  # fmt: skip
"""Of a verb with two meanings ("is stored in") the first that its object allows holds."""


def is_many(predicate: str) -> bool:
    """Whether an entity may have several facts of a predicate. Of "the R of X" there is one, as
    its article says; of any other relation that is not in the table there may be more."""
    known = PREDICATES.get(predicate)
    return known.many if known is not None else not predicate.startswith(DEFINITE)


DEFINITE = "the_"
"""What the predicates of a definite form begin with."""
