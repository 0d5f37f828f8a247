"""Changes what is remembered: edits, withdraws, forgets, tags, links, settles. Who names the
version of a memory that they saw (`expected_version`) is refused where it was changed since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from loremap.errors import BadInput, NotFound
from loremap.memory.admission import amend, limits, prepare, votes
from loremap.memory.admission.amend import Edit
from loremap.memory.admission.merge import dropped_into
from loremap.memory.anchoring import anchors_renewed
from loremap.memory.looking import find
from loremap.memory.recall.signals import DEFAULT_ALIASES
from loremap.memory.remembering import desk
from loremap.memory.tending.letting_go import let_go
from loremap.memory.workspace import Workspace
from loremap.memory.writing import after_write, signal, writing
from loremap.model.alias import AliasSource
from loremap.model.branches import Written
from loremap.model.kind import RULES
from loremap.model.memory import Candidate, Memory, Origin, Provenance, Relation
from loremap.model.signal import Sign, Voice
from loremap.model.text import one_line, visible
from loremap.safety.redaction import redacted
from loremap.storage import memories, relations
from loremap.storage.transaction import Tx

# One memory


def edit(
    here: Workspace, reference: str, change: Edit, *, expected_version: int | None = None
) -> tuple[Memory, tuple[str, ...]]:
    """Change a memory by hand; returns it with what there is to say of it."""
    memory = find(here, reference)
    if change.files is not None:
        change = replace(change, files=tuple(here.path_here(path) for path in change.files))
    edited = amend.edit(
        desk(here),
        memory.id,
        change,
        by=_writer(here),
        now=here.now(),
        expected_version=expected_version,
    )
    after_write(here)
    return edited


def _writer(here: Workspace) -> Provenance:
    """Who edits here, on what code."""
    return Provenance(
        source=Origin.USER_EDIT,
        at=here.now(),
        session_id=here.session_id,
        actor=here.actor.name,
        agent=here.agent,
        branch=here.repository.branch,
        commit_id=here.branches.commit_now(),
    )


def pin(
    here: Workspace, reference: str, *, pinned: bool, expected_version: int | None = None
) -> Memory:
    """Set or take off the pin that keeps a memory in every session's start."""
    memory = find(here, reference, by_keyword=True)
    return _amended(
        here, memory, lambda tx, one: amend.pin(tx, one, pinned=pinned), expected_version
    )


def confirm(here: Workspace, reference: str, *, expected_version: int | None = None) -> Memory:
    """Say that a memory is true, of the code as it is now and on this branch."""
    memory = find(here, reference)
    taken = anchors_renewed(here, memory)
    written = None
    if memory.project_id == here.project_id and not RULES[memory.kind].branch_bound:
        written = Written(here.repository.branch, here.branches.commit_now())
    return _amended(
        here,
        memory,
        lambda tx, one: amend.confirm(tx, one, anchored=taken, written=written),
        expected_version,
    )


def vote(
    here: Workspace,
    reference: str,
    sign: Sign,
    *,
    voice: Voice | None = None,
    expected_version: int | None = None,
) -> Memory:
    """Say that a memory helped, did not, or is wrong: once a session, the last word counts."""
    memory = find(here, reference)
    speaks = voice or (Voice.PERSON if here.agent is None else Voice.AGENT)
    said = signal(here, memory, sign, speaks)
    return _amended(here, memory, lambda tx, one: votes.voted(tx, one, said), expected_version)


def retract(
    here: Workspace, reference: str, *, reason: str, expected_version: int | None = None
) -> Memory:
    """Say that a memory is wrong."""
    memory, said = find(here, reference), redacted(visible(reason)).text
    return _amended(
        here, memory, lambda tx, one: amend.retract(tx, one, reason=said), expected_version
    )


def withdraw(here: Workspace, reference: str, *, reason: str) -> Memory:
    """Withdraw what nobody calls wrong, for one of the reasons of `life.LET_GO`: it may be learned
    again."""
    return _amended(here, find(here, reference), partial(let_go, reason=reason), None)


def restore(here: Workspace, reference: str, *, expected_version: int | None = None) -> Memory:
    """Bring back what was forgotten, withdrawn or replaced."""
    return _amended(here, find(here, reference), amend.restore, expected_version)


def _amended(
    here: Workspace,
    memory: Memory,
    change: Callable[[Tx, Memory], Memory],
    expected_version: int | None,
) -> Memory:
    with writing(here) as tx:
        now = memories.get(tx.conn, memory.id)
        amend.refuse_stale(now, expected_version)
        return change(tx, now)


# Forget


def forget(here: Workspace, reference: str, *, expected_version: int | None = None) -> Memory:
    """Forget a memory softly: it can be brought back for a while."""
    memory = find(here, reference, by_keyword=True)
    return _amended(here, memory, amend.forget, expected_version)


def erase(
    here: Workspace, reference: str, *, expected_version: int | None = None
) -> tuple[Sequence[Memory], bool]:
    """Forget a memory at once and completely, with what was derived from it.

    Returns what was forgotten, and False only where another process still reads the old log.
    """
    memory = find(here, reference, by_keyword=True, inactive=True)
    amend.refuse_stale(memory, expected_version)
    with here.store.read() as conn:
        ids = [memory.id, *relations.derived_from(conn, [memory.id])]
        gone = memories.by_ids(conn, ids)
    complete = here.store.erase(ids, now=here.now(), actor=here.actor, unlearn=True)
    return gone, complete


# Tags and aliases


def tag(
    here: Workspace,
    reference: str,
    *,
    add: Sequence[str],
    remove: Sequence[str],
    expected_version: int | None = None,
) -> Memory:
    """Add and take away tags."""
    if not add and not remove:
        raise BadInput("Name a tag to add, or one to take away with --remove.")
    memory = find(here, reference)
    wanted = tuple(sorted({*memory.tags, *add} - set(remove)))
    return set_tags(here, memory, wanted, refused=remove, expected_version=expected_version)


def set_tags(
    here: Workspace,
    memory: Memory,
    wanted: tuple[str, ...],
    *,
    refused: Sequence[str] = (),
    expected_version: int | None = None,
) -> Memory:
    """Set a memory's tags; they pass the same checks as new ones. What is taken away, `refused`
    among it, is not inferred again."""
    checked = Candidate(content=memory.content, tags=wanted)
    refusal = limits.refusal_for(checked, limits.Limits(content_bytes=1 << 30))
    if refusal:
        raise BadInput(refusal)
    clean = prepare.cleaned(checked)[0].tags
    added = [tag for tag in clean if tag not in memory.tags]
    removed = [tag for tag in memory.tags if tag not in clean]
    return _amended(
        here,
        memory,
        lambda tx, one: amend.retag(
            tx, one, add=added, remove=removed, refuse={*removed, *refused}
        ),
        expected_version,
    )


def set_alias(here: Workspace, term: str, expansions: Sequence[str]) -> None:
    """Search for `expansions` where `term` is asked; none takes the alias away."""
    term, expansions = one_line(term), [one_line(text) for text in expansions]
    if not term:
        raise BadInput("An alias needs a word.")
    if any(redacted(text).findings for text in (term, *expansions)):
        raise BadInput("That holds a secret; nothing was stored.", hint="Give plain words.")
    with writing(here) as tx:
        word = term.lower()
        told = {
            one.term
            for one in relations.all_aliases(tx.conn, here.project_id)
            if one.source is AliasSource.PROJECT
        }
        stays = word in told or word in DEFAULT_ALIASES
        relations.set_alias(tx, here.project_id, word, expansions, stays=stays)


# Two memories


def link(
    here: Workspace, source: str, target: str, relation: Relation, *, weight: float
) -> tuple[Memory, Memory]:
    """Link two memories."""
    if not 0.0 <= weight <= 1.0:
        raise BadInput(f"A link's weight is a number from 0 to 1, not {weight:g}.")
    one, other = find(here, source), find(here, target)
    if one.id == other.id:
        raise BadInput("A memory cannot be linked to itself.")
    with writing(here) as tx:
        by_agent = here.agent is not None
        amend.link(tx, one, other, relation, weight=weight, by_agent=by_agent)
    return one, other


def unlink(here: Workspace, source: str, target: str, relation: Relation) -> bool:
    """Take a link away; whether there was one."""
    one, other = find(here, source), find(here, target)
    with writing(here) as tx:
        return amend.unlink(tx, one, other, relation)


def merge(here: Workspace, source: str, into: str) -> Memory:
    """Say that two memories are the same thing: `source` goes, and `into` counts for more."""
    one, other = find(here, source), find(here, into)
    if one.id == other.id:
        raise BadInput("That is one memory already.")
    with writing(here) as tx:
        relations.close_between(tx, one.id, other.id, "both")
        return dropped_into(tx, one, other)


def resolve(here: Workspace, conflict_id: str, resolution: str) -> None:
    """Settle a conflict: `first` (the newer), `second` (the older), `both` or `neither`."""
    with here.store.read() as conn:
        found = [one for one in relations.open_conflicts(conn) if one.id.endswith(conflict_id)]
    if len(found) != 1:
        raise NotFound(
            f"There is no open conflict {conflict_id!r}."
            if not found
            else f"{len(found)} conflicts start with {conflict_id!r}.",
            hint="`lore conflicts` lists them.",
        )
    with writing(here) as tx:
        amend.resolve(tx, found[0], resolution)
