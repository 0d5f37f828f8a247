"""The conventions that a project's own files state, offered once and kept as the user says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.code.seed import Seed, Seeding, new_seeds, seeds
from loremap.memory import remembering
from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.admission.limits import Limits
from loremap.memory.writing import writing
from loremap.model.memory import Candidate, Memory, Origin, Visibility
from loremap.model.outcome import Stored, Superseded
from loremap.safety.ignored import refusal_for
from loremap.storage import memories, tombstones

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

INSTRUCTIONS = "instructions"
"""The tag of what some agents read by themselves, so that it is not told them twice."""


def found(lore: Workspace) -> Seeding:
    """What the files say that is neither known nor was declined."""
    root = lore.repository.root
    every = seeds(root, readable=lambda path: _may_be_read(path, root))
    known = _known(lore)
    fresh = new_seeds(every.seeds, known, fingerprint=fingerprint)
    left_out = new_seeds(every.left_out, known, fingerprint=fingerprint)
    return Seeding(tuple(fresh), every.notes, tuple(left_out))


def keep(lore: Workspace, chosen: Sequence[Seed], *, confirmed: bool) -> list[Memory]:
    """Remember `chosen`: as confirmed where a person chose them, else as candidates."""
    ready = [_candidate(lore, seed, confirmed=confirmed) for seed in chosen]
    outcomes = remembering.admit_all(lore, ready, limits=Limits())
    return [outcome.memory for outcome in outcomes if isinstance(outcome, (Stored, Superseded))]


def decline(lore: Workspace, refused: Sequence[Seed]) -> None:
    """Do not offer `refused` again."""
    project_id = lore.project_id
    if project_id is None or not refused:
        return
    with writing(lore) as tx:
        tombstones.decline(tx, project_id, dict.fromkeys(fingerprint(one.text) for one in refused))


def _known(lore: Workspace) -> set[str]:
    """Fingerprints of all that was ever kept here or declined, and of what it was made from."""
    project_id = lore.project_id
    if project_id is None:
        return set()
    with lore.store.read() as conn:
        said = memories.fingerprints(conn, project_id)
        read = {fingerprint(text) for text in memories.snippets(conn, project_id, Origin.FILE)}
        return said | read | tombstones.fingerprints(conn, project_id)


def _candidate(lore: Workspace, seed: Seed, *, confirmed: bool) -> Candidate:
    tags = (*seed.tags, *((INSTRUCTIONS,) if seed.instruction_file else ()))
    return Candidate(
        content=seed.text,
        kind=seed.kind,
        origin=Origin.FILE,
        created_by=lore.actor.name,
        visibility=Visibility.PROJECT,
        importance=seed.importance,
        confirmed=confirmed,
        source_file=seed.file,
        source_line=seed.line,
        # What the file said, so that it is known again after the memory was edited.
        snippet=seed.text,
        confidence_reason=f"stated in {seed.file}",
        tags=tuple(dict.fromkeys(tags)),
    )


def _may_be_read(path: Path, root: Path) -> bool:
    return refusal_for(path, root) is None
