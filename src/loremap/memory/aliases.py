"""Aliases: built in, the user's, and those that a project's own texts tell, each with its source. A
user's wins, and what a user took away stays away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loremap.code.project_aliases import aliases_in
from loremap.memory.recall.signals import DEFAULT_ALIASES
from loremap.memory.workspace import Workspace
from loremap.model.alias import Alias, AliasSource
from loremap.safety.redaction import redacted
from loremap.storage import relations


def renew(here: Workspace, texts: Mapping[str, str]) -> None:
    """Keep the aliases that the project's texts tell, in place of those they told before."""
    project_id = here.project_id
    if project_id is None:
        return
    found = {
        term: meant
        for term, meant in aliases_in(texts).items()
        if not redacted(" ".join((term, *meant))).findings
    }
    with here.store.read() as conn:
        held = relations.all_aliases(conn, project_id)
    told = {one.term: one.expansions for one in held if one.source is AliasSource.PROJECT}
    if told != _unclaimed(found, held):
        with here.store.write(now=here.now(), actor=here.actor) as tx:
            claimed = relations.all_aliases(tx.conn, project_id)
            relations.tell_aliases(tx, project_id, _unclaimed(found, claimed))


def _unclaimed(
    found: Mapping[str, tuple[str, ...]], held: Iterable[Alias]
) -> dict[str, tuple[str, ...]]:
    """What no user has said something else of, and what is not built in."""
    claimed = {one.term for one in held if one.source is AliasSource.USER} | set(DEFAULT_ALIASES)
    return {term: meant for term, meant in found.items() if term not in claimed}


def listed(here: Workspace) -> list[Alias]:
    """All aliases in use here, each with its source; what a user took away is left out."""
    built_in = [Alias(term, to, AliasSource.BUILT_IN) for term, to in DEFAULT_ALIASES.items()]
    with here.store.read() as conn:
        held = relations.all_aliases(conn, here.project_id)
    every = {one.term: one for one in (*built_in, *held)}
    return sorted((one for one in every.values() if one.expansions), key=lambda one: one.term)
