"""Recalls: what is found for a question, what is known about files, what warns of a step."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from loremap.config.settings import Settings
from loremap.errors import BadInput
from loremap.memory import writing
from loremap.memory.anchoring import told_here
from loremap.memory.recall.context import FactLimits, Mask, visible
from loremap.memory.recall.endings import endings as endings_of
from loremap.memory.recall.recipes import Recipe, recipe_named, with_recency
from loremap.memory.recall.run import Means, run
from loremap.memory.recall.signals import DEFAULT_ALIASES
from loremap.memory.recall.walk import Reach
from loremap.memory.workspace import Workspace
from loremap.model.kind import Kind, known_kind
from loremap.model.recall import Alert, Hit, Query, Recall
from loremap.model.words import names_in, words
from loremap.storage import memories, relations
from loremap.storage.store import Connection
from loremap.storage.warm import Warm

Aliases = Mapping[str, Sequence[str]]


def query(
    here: Workspace,
    text: str,
    *,
    limit: int | None = None,
    files: Sequence[str] = (),
    kinds: Sequence[Kind | str] = (),
    user_search: bool = False,
    include_inactive: bool = False,
) -> Query:
    """A question as it is asked from here."""
    wanted = here.settings.whole("recall.limit") if limit is None else limit
    if wanted < 1:
        raise BadInput("The limit is a number from 1 up.")
    return Query(
        text=text,
        now=here.now(),
        project_id=here.project_id,
        tenant_id=here.actor.tenant_id,
        owner_id=here.actor.owner_id,
        session_id=here.session_id,
        branch=here.repository.branch,
        files=tuple(here.path_as_named(path) for path in files),
        kinds=tuple(known_kind(kind) for kind in kinds),
        limit=wanted,
        user_search=user_search,
        include_inactive=include_inactive,
        seasons=here.settings.texts("recall.seasons"),
    )


def recall(
    here: Workspace,
    text: str,
    *,
    limit: int | None = None,
    recipe: str | Recipe | None = None,
    files: Sequence[str] = (),
    kinds: Sequence[Kind | str] = (),
    tag: str | None = None,
    gate: bool | None = None,
    count_use: bool = True,
) -> Recall:
    """What an agent would be given for `text`: usually little, often nothing. `count_use` counts
    the recall; what it finds counts as used only where later work refers to it."""
    asked = query(here, text, limit=limit, files=files, kinds=kinds)
    gated = here.settings.flag("recall.gate") if gate is None else gate
    found = answer(here, asked, recipe=recipe, gate=gated, tag=tag)
    if count_use:
        writing.note_recall(here)
    return found


def answer(
    here: Workspace,
    query: Query,
    *,
    recipe: str | Recipe | None,
    gate: bool,
    tag: str | None = None,
) -> Recall:
    """What a recipe finds for a question, with `tag` only what bears it."""
    if not query.text.strip():
        raise BadInput("There is nothing to look for: the query is empty.")
    chosen = as_set(recipe_named(recipe or here.settings.text("recall.recipe")), here.settings)
    started = time.perf_counter()
    vector = here.engine.slot.query_vector(query.text) if chosen.wants_vector else None
    with here.engine.arrays(here.engine.slot.taken) as (conn, warm):
        means = Means(
            conn=conn,
            warm=warm,
            aliases=_aliases_at(here, warm.seq),
            gate=gate,
            reranker=here.reranker,
            only=None if tag is None else _with_tag(conn, warm, tag),
            code=here.checkout.look,
            branches=here.branches.seen,
            reach=_reach(here),
            fact_limits=FactLimits(
                hops=here.settings.whole("facts.hops"), tokens=here.settings.whole("facts.tokens")
            ),
        )
        found = run(chosen, query, vector=vector, means=means)
    found = _looked_at(here, chosen, query.text, found)
    return replace(found, took_ms=(time.perf_counter() - started) * 1000)


def _looked_at(here: Workspace, chosen: Recipe, question: str, found: Recall) -> Recall:
    """A cascade walks far: what it brings is looked at by the small model, where there is one; of
    what is asked incognito nobody is told. By then no array is held, for that takes seconds."""
    if chosen.name != "cascade" or here.incognito or not here.engine.sidecar_is_chosen:
        return found
    from loremap.memory.fitting import second_look

    return replace(found, hits=second_look(here, question, found.hits))


def _reach(here: Workspace) -> Reach:
    """How far a cascade goes, as the settings say."""
    return Reach(
        similarity_threshold=here.settings.number("cascade.similarity_threshold"),
        max_initial_hits=here.settings.whole("cascade.max_initial_hits"),
        max_depth=here.settings.whole("cascade.max_depth"),
        max_results=here.settings.whole("cascade.max_results"),
        edge_decay=here.settings.number("cascade.edge_decay"),
        max_degree=here.settings.whole("cascade.max_degree"),
        fan_out=here.settings.whole("cascade.fan_out"),
    )


def as_set(recipe: Recipe, settings: Settings) -> Recipe:
    """A recipe with what the settings add to it."""
    return with_recency(recipe) if settings.flag("recall.recency") else recipe


def about(here: Workspace, files: Iterable[str]) -> Sequence[Hit]:
    """What is confirmed about files of this project, the most important first; without what
    is withheld because its code is gone here, or its branch is not merged."""
    if here.project_id is None:
        return []
    with here.store.read() as conn:
        found = memories.about(conn, here.project_id, files)
    return told_here(here, found)


def endings(here: Workspace, answer: Recall, *, alike: Sequence[str]) -> Sequence[Hit]:
    """What came of the sessions that an answer is about, and of those that began like it, the
    newest first."""
    with here.engine.arrays() as (conn, warm):
        mask = visible(warm, query(here, ""))
        found = endings_of(conn, warm, mask, answer, alike=alike, without=here.session_id)
    return told_here(here, found)


def alerts(
    here: Workspace,
    *,
    command: str | None,
    files: Sequence[str],
    text: str | None,
    limit: int,
) -> Sequence[Alert]:
    """The warnings that fire on what is about to be done; needs no embedding model."""
    with here.engine.arrays() as (conn, warm):
        return here.engine.watch(conn, warm).alerts(
            command=command,
            files=[here.path_as_named(path) for path in files],
            text=text,
            mask=visible(warm, query(here, "", files=files)),
            now=here.now(),
            limit=limit,
            told=lambda found: told_here(here, found),
        )


def telling(here: Workspace, text: str) -> frozenset[str]:
    """The words of a text that tell what it is about: names of code, and words that some memories
    hold and most do not."""
    terms = list(dict.fromkeys(words(text)))
    with here.engine.arrays(here.engine.slot.taken) as (conn, warm):
        held = warm.words(conn)
        counts = held.frequencies(terms).tolist()
        most = max(1, held.rows // 10)
    rare = {term for term, count in zip(terms, counts, strict=True) if 0 < count <= most}
    return frozenset(rare | {part for name in names_in(text) for part in words(name)})


def aliases(here: Workspace) -> Aliases:
    """The user's aliases here and everywhere, and those that the project tells."""
    return {term: to for term, to in _kept_aliases(here).items() if to}


def _kept_aliases(here: Workspace) -> Aliases:
    """The same, with nothing for what a user took away."""
    with here.store.read() as conn:
        return relations.aliases_of(conn, here.actor.tenant_id, here.project_id)


def _aliases_at(here: Workspace, seq: int) -> Aliases:
    """Ours, the project's and the user's, read anew when the store has changed."""
    if here.known.aliases[0] != seq:
        here.known.aliases = (seq, {**DEFAULT_ALIASES, **_kept_aliases(here)})
    return here.known.aliases[1]


def _with_tag(conn: Connection, warm: Warm, tag: str) -> Mask:
    rows = memories.rows_with_tag(conn, tag)
    mask = np.zeros(warm.size, np.bool_)
    slots = warm.slots_of(np.asarray(rows, np.int64))
    mask[slots[slots >= 0]] = True
    return mask
