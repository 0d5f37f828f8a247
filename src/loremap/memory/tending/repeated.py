"""Statements that say the same, or nearly: found by their words, and proposed to a person to be
merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from loremap.memory.admission.compare import Verdict, compared
from loremap.memory.step import Step
from loremap.memory.tending.letting_go import proposing
from loremap.memory.workspace import Workspace
from loremap.model.clock import short_id
from loremap.model.kind import RULES
from loremap.model.memory import Memory, Scope, Status
from loremap.model.proposal import ProposalKind, Proposed
from loremap.model.text import is_code
from loremap.model.words import names_in, words
from loremap.storage import memories, proposals
from loremap.storage.memories import Filter

NEARLY = 0.8
"""The share of all words of two statements that they have in common, from which they are nearly the
same."""
MAX_HOLDING = 64
"""A word that more statements hold finds no pair by itself: they are of one form, and differ."""
MAX_PROPOSED = 200
"""A person is not asked about more at once."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Two statements of one place, the one that counts for more first."""

    kept: Memory
    other: Memory
    same: bool
    """Whether they say the same in the same words; else nearly."""


def repetition(here: Workspace) -> Sequence[Step]:
    """The one proposal of all that would be merged and was not proposed before."""
    with here.store.read() as conn:
        wanted = Filter(tenant_id=here.actor.tenant_id, project_id=here.project_id)
        held = memories.listing(conn, wanted, limit=memories.ALL)
        known = proposals.of(conn, here.project_id, waiting=False)
    asked = {frozenset((item.memory_id, item.into)) for one in known for item in one.items}
    items: dict[str, Proposed] = {}
    for pair in repeated(held):
        # What is merged into another is no other's goal within the same proposal.
        free = pair.kept.id not in items and pair.other.id not in items
        if free and frozenset((pair.other.id, pair.kept.id)) not in asked:
            why = f"{'says' if pair.same else 'nearly says'} what {short_id(pair.kept.id)} says"
            items[pair.other.id] = Proposed(pair.other.id, why, pair.kept.id)
    chosen = list(items.values())[:MAX_PROPOSED]
    return [proposing(here, ProposalKind.MERGE, chosen)] if chosen else []


def repeated(held: Sequence[Memory]) -> list[Repeated]:
    """The pairs of active statements in one place that say the same or nearly, each pair once."""
    said = {one.id: words(one.content) for one in held if _is_statement(one)}
    stated = [_Statement(one, frozenset(said[one.id])) for one in held if one.id in said]
    counts = Counter(term for one in stated for term in one.terms)
    holding: dict[tuple[Hashable, str], list[_Statement]] = defaultdict(list)
    found = []
    for one in stated:
        keys = [(_place(one.memory), term) for term in _telling(one.terms, counts)]
        sharing = dict.fromkeys(
            other for key in keys if len(holding[key]) <= MAX_HOLDING for other in holding[key]
        )
        for other in sharing:
            if one.nearly(other):
                same = said[one.memory.id] == said[other.memory.id]
                pair = _pair(one.memory, other.memory, same=same)
                found += [pair] if pair else []
        for key in keys:
            holding[key].append(one)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Statement:
    """A memory with its words, compared by itself."""

    memory: Memory
    terms: frozenset[str]

    def nearly(self, other: _Statement) -> bool:
        """Whether both have nearly all their words in common."""
        both = len(self.terms & other.terms)
        return both >= NEARLY * (len(self.terms) + len(other.terms) - both)


def _telling(terms: frozenset[str], counts: Mapping[str, int]) -> Sequence[str]:
    """The rarest words of a statement, of which any other that is nearly the same must hold one."""
    by_rarity = sorted(terms, key=lambda term: (counts[term], term))
    return by_rarity[: len(by_rarity) - ceil(NEARLY * len(by_rarity)) + 1]


def _pair(one: Memory, other: Memory, *, same: bool) -> Repeated | None:
    """Two statements, unless a name or a number sets them apart, or they contradict each other."""
    said = compared(one.content, other.content).verdict
    if said in (Verdict.REPLACES, Verdict.OPPOSED):
        return None
    if _figures(one.content) != _figures(other.content):
        return None
    kept, gone = sorted((one, other), key=_standing, reverse=True)
    return Repeated(kept, gone, same or said is Verdict.SAME)


def _figures(text: str) -> set[str]:
    """What must be equal in two statements that say the same: names of code, and numbers."""
    numbers = {term for term in words(text) if any(sign.isdigit() for sign in term)}
    return numbers | {name.casefold() for name in names_in(text)}


def _standing(memory: Memory) -> tuple[bool, bool, int, float, str]:
    """What counts for more: pinned, confirmed, used more often, more important."""
    confirmed = memory.status is Status.CONFIRMED
    return (memory.pinned, confirmed, memory.access_count, memory.importance, memory.id)


def _is_statement(memory: Memory) -> bool:
    episodic = RULES[memory.kind].episodic
    return memory.active and not episodic and not memory.held_back and not is_code(memory.content)


def _place(memory: Memory) -> Hashable:
    """Two statements of one place can be merged."""
    session = memory.session_id if memory.scope is Scope.SESSION else None
    return (memory.owner_id, memory.project_id, memory.scope, session)
