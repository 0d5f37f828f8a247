"""What sessions teach by rules alone, against what careful readers wrote down.

    python -m bench.sessions.learning --data FOLDER
        [--own first|second|blind] [--shipped] [--stored] [--show] [--results FOLDER]

FOLDER holds `learning-dev.json`; `--own` measures sessions of our own instead. Each session
is written as a transcript in the form of its client and read as any other; the sessions of a
project follow each other in time. The weights of each project are those that all others give,
unless `--shipped` asks for the package's, which were fitted on all but our second half. With
`--stored` each session is learned from by session memory into a real store, and what is measured is
what admission let in. When a finding counts as right is said in `learning_score`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.sessions.learning_data import Half, Json, development, own
from bench.sessions.learning_fit import fitting, turns, weights_without
from bench.sessions.learning_score import is_english, is_junk, matches
from bench.sessions.learning_stored import kept
from bench.sessions.results import add_option, write
from loremap.memory.brief import ours
from loremap.model.finding import Finding
from loremap.safety.redaction import redacted
from loremap.sessions.learning.earlier import Earlier
from loremap.sessions.learning.evidence import Weights
from loremap.sessions.learning.learn import findings_of

BARS = {"precision": 0.85, "must": 0.65, "all": 0.45, "quiet": 0.90, "amended": 1.0}
MAX_JUNK, MAX_SECRETS = 0.05, 0.0


@dataclass(frozen=True, slots=True)
class Taught:
    """One session with what was found in it."""

    session: Json
    found: tuple[Finding, ...]
    gone: frozenset[str] = frozenset()
    """The words of those that something replaced in the store."""

    def is_right(self, finding: Finding) -> bool:
        """Whether a finding is one of what was to be learned."""
        return any(self._says(finding, item) for item in self.session["learn"])

    def has(self, item: Json) -> bool:
        """Whether an item was found."""
        return any(self._says(finding, item) for finding in self.found)

    def junk(self) -> int:
        """How many findings are marked as not to be learned."""
        unwanted = self.session["do_not_learn"]
        return sum(not self.is_right(one) and is_junk(one, unwanted) for one in self.found)

    def _says(self, finding: Finding, item: Json) -> bool:
        return matches(finding, item, english=is_english(self.session))


def learned(sessions: Sequence[Json], weights: dict[str, Weights]) -> list[Taught]:
    """What each session taught, those of a project after each other."""
    known, taught = dict[str, list[Earlier]](), []
    for session in sorted(sessions, key=lambda one: str(one["started_at"])):
        before = known.setdefault(session["project"], [])
        found = findings_of(
            turns(session),
            known=before,
            injected=injected(session),
            weights=weights.get(session["project"]),
        )
        before += [Earlier(one.content, one.files) for one in found]
        taught.append(Taught(session, found))
    return taught


def stored(sessions: Sequence[Json], weights: dict[str, Weights]) -> list[Taught]:
    """What each session left in a store; its words are those of the memory."""
    given = {one["id"]: injected(one) for one in sessions}
    return [
        Taught(
            one.session,
            tuple(
                replace(finding, content=memory.content, amends="")
                for finding, memory in one.memories
            ),
            frozenset(memory.content for _, memory in one.memories if not memory.active),
        )
        for one in kept(sessions, weights, given)
    ]


def injected(session: Json) -> list[str]:
    """What a session was given by us: here it stands in the text of a prompt."""
    return [
        turn["text"].partition(ours.TEXT_OPEN)[2].partition(ours.TEXT_CLOSE)[0]
        for turn in session["turns"]
        if turn["role"] == "user" and ours.TEXT_OPEN in turn["text"]
    ]


def figures(taught: Sequence[Taught]) -> dict[str, tuple[int, int]]:
    """Each figure as how many of how many."""
    stored = [(one, finding) for one in taught for finding in one.found]
    items = [(one, item) for one in taught for item in one.session["learn"]]
    must = [(one, item) for one, item in items if item["strength"] == "must"]
    empty = [one for one in taught if not one.session["learn"]]
    amended = [_is_amended(taught, one, item) for one, item in items if "amends" in item]
    return {
        "precision": (sum(one.is_right(finding) for one, finding in stored), len(stored)),
        "must": (sum(one.has(item) for one, item in must), len(must)),
        "all": (sum(one.has(item) for one, item in items), len(items)),
        "quiet": (sum(not one.found for one in empty), len(empty)),
        "amended": (sum(amended), len(amended)),
        "junk": (sum(one.junk() for one in taught), len(stored)),
        "secrets": (sum(_holds_secret(finding) for _, finding in stored), len(stored)),
    }


def _is_amended(taught: Sequence[Taught], later: Taught, item: Json) -> bool:
    """Whether the later decision was found and names what was found of the earlier one, or found
    where nothing stands of that."""
    session, number = item["amends"]["session"], item["amends"]["learn"]
    before = next((one for one in taught if one.session["id"] == session), None)
    if before is None or not later.has(item):
        return False
    turns_of_old = before.session["learn"][number]["from_turns"]
    old = [one for one in before.found if _is_of(one, turns_of_old)]
    amended = before.gone | {one.amends for one in later.found}
    return not old or bool({one.content for one in old} & amended)


def _is_of(finding: Finding, turns_of_item: Sequence[int]) -> bool:
    return any(finding.first <= turn <= finding.last for turn in turns_of_item)


def _holds_secret(finding: Finding) -> bool:
    return any(redacted(text).text != text for text in (finding.content, finding.quote))


def missed(found: dict[str, tuple[int, int]]) -> list[str]:
    """The bars that were missed."""
    low = [name for name, bar in BARS.items() if _share(found[name]) < bar]
    high = [("junk", MAX_JUNK), ("secrets", MAX_SECRETS)]
    return low + [name for name, bar in high if _share(found[name], empty=0.0) > bar]


def _share(figure: tuple[int, int], *, empty: float = 1.0) -> float:
    return figure[0] / figure[1] if figure[1] else empty


def _print(title: str, found: dict[str, tuple[int, int]]) -> None:
    told = (f"{name} {_share(of, empty=0.0):.3f} ({of[0]}/{of[1]})" for name, of in found.items())
    print(f"{title}: {', '.join(told)}")


def _show(taught: Sequence[Taught]) -> None:
    for one in taught:
        name = one.session["id"]
        for finding in one.found:
            sign = "right" if one.is_right(finding) else "WRONG"
            print(f"{sign} {name} {finding.first}-{finding.last} {finding.kind}: {finding.content}")
        for item in one.session["learn"]:
            if not one.has(item):
                print(f"MISSED {name} {item['from_turns']} {item['strength']}: {item['what']}")


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--own", type=Half, choices=list(Half))
    parser.add_argument("--shipped", action="store_true", help="the weights of the package")
    parser.add_argument("--stored", action="store_true", help="what admission let in")
    parser.add_argument("--show", action="store_true", help="what was found, and what was missed")
    add_option(parser)
    given = parser.parse_args()
    sessions = own(given.own) if given.own else development(given.data)
    weights = {} if given.shipped else weights_without(fitting(given.data))
    taught = (stored if given.stored else learned)(sessions, weights)
    if given.show:
        _show(taught)
    whole = figures(taught)
    parts = {
        "all": whole,
        "English": figures([one for one in taught if is_english(one.session)]),
        "other languages": figures([one for one in taught if not is_english(one.session)]),
    }
    for title, found in parts.items():
        _print(title, found)
    print(f"missed: {', '.join(missed(whole)) or 'none'}")
    print(write(_named(given), parts | {"missed": missed(whole)}, given.results))
    return 1 if missed(whole) else 0


def _named(given: argparse.Namespace) -> str:
    """What was measured, as its file of figures is called."""
    ways = (way for way in ("shipped", "stored") if getattr(given, way))
    return "-".join(("learning", *([f"own-{given.own}"] if given.own else []), *ways))


if __name__ == "__main__":
    sys.exit(main())
