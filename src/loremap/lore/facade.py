"""The memory of one user as seen from one folder: remember, recall, look, amend, keep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import numpy as np
from sqlalchemy import Connection

from loremap.codegraph.repository import repository_at, rooted
from loremap.config import settings as config
from loremap.config.folders import Folders, folders
from loremap.embedding.choose import open_embedder
from loremap.embedding.protocol import Embedder
from loremap.errors import Ambiguous, BadInput, ModelError, ModelFailed, NotFound, StoreError
from loremap.lifecycle import amend
from loremap.lifecycle.admit import Desk, admit, admit_all
from loremap.lifecycle.amend import Edit
from loremap.lifecycle.anchor import renewed
from loremap.lifecycle.embed import Progress, catch_up
from loremap.lifecycle.limits import Limits
from loremap.lore.atlas import Atlas
from loremap.lore.checkout import Checkout
from loremap.lore.code import Code, embedder_choice
from loremap.lore.house import House
from loremap.model.anchor import Anchor, Checked, Freshness, withheld
from loremap.model.identity import Repository, identity_keys, wants_root
from loremap.model.kind import Kind, known_kind
from loremap.model.memory import (
    ACTIVE,
    Actor,
    Candidate,
    Change,
    Conflict,
    Memory,
    Origin,
    Procedure,
    Relation,
    Scope,
    Status,
    Trigger,
    Visibility,
)
from loremap.model.outcome import Outcome
from loremap.model.recall import Alert, Hit, Query, Recall
from loremap.model.state import ModelState, Shown, State
from loremap.model.words import words
from loremap.retrieval.aliases import DEFAULT_ALIASES
from loremap.retrieval.context import Reranker
from loremap.retrieval.freshness import judged
from loremap.retrieval.recipes import Recipe, recipe_named
from loremap.retrieval.run import Means, run
from loremap.retrieval.visible import Mask, visible
from loremap.safety.ignored import inside, refusal_for
from loremap.safety.redaction import redacted
from loremap.storage import anchors, changes, memories, projects, relations, vectors
from loremap.storage.backup import backup_paths
from loremap.storage.changes import Event
from loremap.storage.memories import Filter
from loremap.storage.transaction import Tx
from loremap.storage.warm import Warm

Notes = list[str]
Terms = list[str]  # inside Lore, `list` is the verb

CATCH_UP_WITH_WRITE = 32
"""How many waiting memories a write embeds along with its own."""
HOUSE_LOOKED_AFTER = timedelta(hours=1)
"""How often a write asks whether the day's housekeeping is due."""
USES_KEPT = 64
"""Uses are counted in one write: at the next one, when this many wait, or when closing."""


def utc_now() -> datetime:
    """The time now; the one clock the façade reads."""
    return datetime.now(UTC)


class Lore:
    """The memory of one user, seen from one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        places: Folders,
        settings: config.Settings,
        session_id: str | None = None,
        agent: str | None = None,
        now: Callable[[], datetime] = utc_now,
        house: House | None = None,
    ) -> None:
        self.folder = folder
        self.places = places
        self._speak_for(session_id, agent)
        self.now = now
        self._guest = house is not None
        self.house = house or House(places, settings, now=now)
        self.store = self.house.store
        self.repository = self._repository()
        self.code = Code(self.repository, graphs=places.graphs, embedder=self.embedder)
        self.checkout = Checkout(self.repository, code=self.code, graphs=places.graphs)
        self.atlas = Atlas(self)
        self.notes: Notes = []
        self.reranker: Reranker | None = None
        self._standing = _Standing(self._known_project())
        self._uses: dict[str, None] = {}

    def __enter__(self) -> Lore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write down the uses that wait, and let go of the store."""
        self._flush_uses()
        self.code.close()
        if not self._guest:
            self.house.close()

    def as_session(self, session_id: str | None, agent: str | None) -> Lore:
        """The same memory, speaking for a session and an agent; closing it is not needed."""
        twin = copy(self)
        twin._speak_for(session_id, agent)
        return twin

    def _speak_for(self, session_id: str | None, agent: str | None) -> None:
        self.session_id = None if session_id is None else _name_kept(session_id)
        self.agent = None if agent is None else _name_kept(agent)
        self.actor = Actor(name="user" if self.agent is None else f"agent:{self.agent}")

    # Where we are

    @property
    def settings(self) -> config.Settings:
        """The settings in force."""
        return self.house.settings

    @property
    def project(self) -> projects.Project | None:
        """The project of this folder; None until something is remembered in it."""
        if self._standing.project is None:  # another process may have made it known meanwhile
            self._standing.project = self._known_project()
        return self._standing.project

    @property
    def project_id(self) -> str | None:
        """The id of this folder's project."""
        project = self.project
        return None if project is None else project.id

    def init(self) -> projects.Project | None:
        """Make this folder's project known to the store."""
        if not self._standing.settled:
            tenant = self.actor.tenant_id
            if not projects.is_settled(self.store, self.repository, tenant_id=tenant):
                with self._write() as tx:
                    projects.settle(tx, self.repository)
            self._standing.project = self._known_project()
            self._standing.settled = True
        return self._standing.project

    def _known_project(self) -> projects.Project | None:
        return projects.find(self.store, self.repository, tenant_id=self.actor.tenant_id)

    # Remember

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.FACT,
        scope: Scope | str = Scope.PROJECT,
        tags: Sequence[str] = (),
        files: Sequence[str | Path] = (),
        triggers: Sequence[Trigger] = (),
        procedure: Procedure | None = None,
        pin: bool = False,
        importance: float | None = None,
        confidence: float | None = None,
        origin: Origin | str | None = None,
        visibility: Visibility | str | None = None,
        source_file: str | Path | None = None,
        snippet: str = "",
        reason: str = "",
    ) -> Outcome:
        """Remember `text`; the outcome says whether it is new, was known, or replaces something."""
        stated = Origin.USER_STATED if self.agent is None else Origin.OBSERVED
        return self.admit(
            Candidate(
                content=text,
                kind=known_kind(kind),
                scope=Scope(scope),
                origin=stated if origin is None else Origin(origin),
                created_by=self.actor.name,
                visibility=None if visibility is None else Visibility(visibility),
                confidence=confidence,
                importance=importance,
                pinned=pin,
                session_id=self.session_id,
                agent=self.agent,
                branch=self.repository.branch,
                source_file=None if source_file is None else self._source(source_file),
                snippet=snippet,
                confidence_reason=reason,
                files=tuple(self.path_here(path) for path in files),
                tags=tuple(tags),
                triggers=tuple(triggers),
                procedure=procedure,
            )
        )

    def admit(self, candidate: Candidate) -> Outcome:
        """Remember one candidate."""
        if candidate.scope is Scope.SESSION and candidate.session_id is None:
            raise BadInput(
                "A session's memory needs a session.",
                hint="Give --session ID, or set LOREMAP_SESSION.",
            )
        project_id = self._project_for(candidate.scope)
        outcome = admit(self._desk(), candidate, project_id=project_id, now=self.now())
        self._after_write()
        return outcome

    def admit_all(
        self, candidates: Sequence[Candidate], *, limits: Limits | None = None
    ) -> Sequence[Outcome]:
        """Remember many candidates in one transaction; imports and benchmarks pass own limits."""
        project_id = self._project_for(Scope.PROJECT)
        desk = self._desk(limits)
        return admit_all(desk, candidates, project_id=project_id, now=self.now())

    # Recall

    def recall(
        self,
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
        """What an agent would be given for `text`: usually little, often nothing."""
        query = self._query(text, limit=limit, files=files, kinds=kinds)
        gated = self.settings.flag("recall.gate") if gate is None else gate
        answer = self._answer(query, recipe=recipe, gate=gated, tag=tag)
        if count_use:
            self._count_uses(answer)
        return answer

    def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        recipe: str | None = None,
        kinds: Sequence[Kind | str] = (),
        tag: str | None = None,
        everything: bool = False,
    ) -> Recall:
        """A person's own search: no gate, sees what waits for review, never counts as use."""
        query = self._query(
            text, limit=limit, kinds=kinds, user_search=True, include_inactive=everything
        )
        return self._answer(query, recipe=recipe, gate=False, tag=tag)

    def about(self, files: Iterable[str]) -> Sequence[Hit]:
        """What is confirmed about files of this project, the most important first; without what
        is withheld because its code is gone here."""
        if self.project_id is None:
            return []
        with self.store.read() as conn:
            found = memories.about(conn, self.project_id, files)
        checks = self.freshness(found)
        hits = [Hit(memory, memory.importance, freshness=checks.get(memory.id)) for memory in found]
        return [hit for hit in hits if not _is_withheld(hit)]

    def used(self, ids: Iterable[str]) -> None:
        """Count memories as used in work, candidates too."""
        with self._write() as tx:
            memories.touch(tx, ids)

    def check(
        self,
        *,
        command: str | None = None,
        files: Sequence[str] = (),
        text: str | None = None,
        limit: int = 3,
    ) -> Sequence[Alert]:
        """The warnings that fire on what is about to be done; needs no embedding model."""
        with self.store.read() as conn:
            warm, watch = self.house.watch(conn)
        mask = visible(warm, self._query("", files=files))
        here = [self._relative(path) for path in files]
        return watch.alerts(
            command=command,
            files=here,
            text=text,
            mask=mask,
            now=self.now(),
            limit=limit,
            look=self.freshness,
        )

    # Look

    def find(self, reference: str, *, by_keyword: bool = False, inactive: bool = False) -> Memory:
        """The memory a person means by an id, the start of one, or (where allowed) a keyword;
        with `inactive` a keyword also finds what was replaced or withdrawn."""
        with self.store.read() as conn:
            found = memories.starting_with(conn, reference)
            if len(found) == 1:
                return memories.get(conn, found[0][0])
        if len(found) > 1:
            raise Ambiguous(
                f"{len(found)} memories start with {reference!r}.",
                hint="Give more of the id: " + ", ".join(id_[:12] for id_, _ in found[:4]) + ".",
                candidates=tuple(found),
            )
        if not by_keyword:
            raise NotFound(
                f"There is no memory {reference!r}.", hint="`lore list` shows the ids there are."
            )
        return self._by_keyword(reference, inactive=inactive)

    def list(
        self,
        *,
        kinds: Sequence[Kind | str] = (),
        statuses: Sequence[Status] = ACTIVE,
        tag: str | None = None,
        file: str | None = None,
        pinned: bool | None = None,
        deleted: bool = False,
        everywhere: bool = False,
        stale: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[Memory]:
        """Memories of this project and the global ones, newest first; with `stale` only those
        whose code was changed or is gone here."""
        wanted = Filter(
            project_id=self.project_id,
            everywhere=everywhere,
            kinds=tuple(known_kind(kind) for kind in kinds),
            statuses=tuple(statuses),
            tag=tag,
            file=None if file is None else self.path_here(file),
            pinned=pinned,
            ids=self._stale() if stale else None,
            deleted=deleted,
        )
        with self.store.read() as conn:
            return memories.listing(conn, wanted, limit=limit, offset=offset)

    def show(self, reference: str, *, by_keyword: bool = False) -> Shown:
        """A memory with its sources, links and conflicts."""
        memory = self.find(reference, by_keyword=by_keyword)
        with self.store.read() as conn:
            return Shown(
                memory,
                tuple(memories.provenance_of(conn, memory.id)),
                tuple(relations.links_of(conn, memory.id)),
                tuple(relations.open_conflicts(conn, [memory.id])),
                tuple(self._anchors_of(conn, memory)),
            )

    def freshness(self, found: Sequence[Memory]) -> Mapping[str, Checked]:
        """What became of the code that memories of this project speak of, by id; what is not
        anchored is left out."""
        here = [memory.id for memory in found if memory.project_id == self.project_id]
        with self.store.read() as conn:
            return self._judged(anchors.of(conn, here))

    def _stale(self) -> tuple[str, ...]:
        if self.project_id is None:
            return ()
        with self.store.read() as conn:
            checks = self._judged(anchors.of_project(conn, self.project_id))
        return tuple(id_ for id_, check in checks.items() if check.freshness is not Freshness.FRESH)

    def _renewed(self, memory: Memory) -> Sequence[Anchor] | None:
        """The anchors that `memory` takes when someone stands by it here."""
        code = self.checkout.look() if memory.project_id == self.project_id else None
        if code is None:
            return None
        with self.store.read() as conn:
            held = anchors.of(conn, [memory.id]).get(memory.id, ())
        return renewed(memory, held, code)

    def _judged(self, held: anchors.Anchors) -> Mapping[str, Checked]:
        code = self.checkout.look() if held else None
        if code is None:
            return {}
        checks = {id_: judged(taken, code) for id_, taken in held.items()}
        return {id_: check for id_, check in checks.items() if check is not None}

    def _anchors_of(
        self, conn: Connection, memory: Memory
    ) -> Iterator[tuple[Anchor, Checked | None]]:
        held = anchors.of(conn, [memory.id]).get(memory.id, ())
        here = memory.project_id == self.project_id
        code = self.checkout.look() if held and here else None
        for anchor in held:
            yield anchor, None if code is None else judged([anchor], code)

    def summaries(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The summaries of some memories, by id."""
        with self.store.read() as conn:
            return {memory.id: memory.summary for memory in memories.by_ids(conn, ids)}

    def history(self, reference: str) -> Sequence[Change]:
        """What happened to a memory, oldest first."""
        memory = self.find(reference)
        with self.store.read() as conn:
            return changes.history_of(conn, memory.id)

    def log(self, *, limit: int = 50, reference: str | None = None) -> Sequence[Event]:
        """The audit trail, newest first."""
        memory_id = None if reference is None else self.find(reference).id
        with self.store.read() as conn:
            return changes.trail(conn, limit=limit, memory_id=memory_id)

    def conflicts(self) -> Sequence[tuple[Conflict, Memory, Memory]]:
        """Open conflicts of this project and the global ones, each with its two sides, the newer
        first."""
        with self.store.read() as conn:
            found = relations.open_conflicts(conn)
            sides = {
                memory.id: memory
                for memory in memories.by_ids(
                    conn, [id_ for one in found for id_ in (one.memory_a, one.memory_b)]
                )
            }
        return [
            (one, sides[one.memory_a], sides[one.memory_b])
            for one in found
            if self._speaks_here(sides.get(one.memory_a))
            and self._speaks_here(sides.get(one.memory_b))
        ]

    def _speaks_here(self, memory: Memory | None) -> bool:
        return memory is not None and memory.active and memory.project_id in (None, self.project_id)

    def waiting_for_review(self, *, limit: int = 200) -> Sequence[Memory]:
        """Candidates nobody has confirmed yet, oldest last."""
        return self.list(statuses=(Status.CANDIDATE,), limit=limit)

    # Change

    def edit(self, reference: str, change: Edit) -> tuple[Memory, tuple[str, ...]]:
        """Change a memory by hand."""
        memory = self.find(reference)
        if change.files is not None:
            change = replace(change, files=tuple(self.path_here(path) for path in change.files))
        edited = amend.edit(self._desk(), memory.id, change, now=self.now())
        self._after_write()
        return edited

    def pin(self, reference: str) -> Memory:
        """Keep a memory in every session's start."""
        return self._amended(reference, lambda tx, one: amend.pin(tx, one, pinned=True), True)

    def unpin(self, reference: str) -> Memory:
        """Take the pin off."""
        return self._amended(reference, lambda tx, one: amend.pin(tx, one, pinned=False), True)

    def confirm(self, reference: str) -> Memory:
        """Say that a memory is true, of the code as it is now."""
        taken = self._renewed(self.find(reference))
        return self._amended(reference, lambda tx, one: amend.confirm(tx, one, anchored=taken))

    def feedback(self, reference: str, *, helpful: bool) -> Memory:
        """Say that a memory was used, and whether it helped."""
        return self._amended(reference, lambda tx, one: amend.feedback(tx, one, helpful=helpful))

    def retract(self, reference: str, *, reason: str = "user_flagged") -> Memory:
        """Say that a memory is wrong."""
        said = redacted(reason).text
        return self._amended(reference, lambda tx, one: amend.retract(tx, one, reason=said))

    def forget(
        self, reference: str, *, now_and_forever: bool = False
    ) -> tuple[Sequence[Memory], bool]:
        """Forget: softly, or at once and completely with what was derived from it.

        Returns what was forgotten, and False only where another process still reads the old log.
        """
        memory = self.find(reference, by_keyword=True, inactive=now_and_forever)
        if not now_and_forever:
            return [self._amended(memory.id, amend.forget)], True
        with self.store.read() as conn:
            ids = [memory.id, *relations.derived_from(conn, [memory.id])]
            gone = memories.by_ids(conn, ids)
        complete = self.store.erase(ids, now=self.now(), actor=self.actor)
        return gone, complete

    def restore(self, reference: str) -> Memory:
        """Bring back what was forgotten, withdrawn or replaced."""
        return self._amended(reference, amend.restore)

    def undo(self, reference: str | None = None) -> Sequence[Memory]:
        """Take back the last change here, or the last one of a memory."""
        memory_id = None if reference is None else self.find(reference).id
        with self._write() as tx:
            change = changes.last_change(tx.conn, project_id=self.project_id, memory_id=memory_id)
            if change is None:
                raise NotFound("There is nothing to undo.")
            return amend.undo(tx, change, code=self.checkout.look())

    def tag(self, reference: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Memory:
        """Add and take away tags."""
        if not add and not remove:
            raise BadInput("Name a tag to add, or one to take away with --remove.")
        memory = self.find(reference)
        wanted = tuple(sorted({*memory.tags, *add} - set(remove)))
        return self.edit_tags(memory, wanted)

    def edit_tags(self, memory: Memory, wanted: tuple[str, ...]) -> Memory:
        """Set a memory's tags; they pass the same checks as new ones."""
        checked = Candidate(content=memory.content, tags=wanted)
        from loremap.lifecycle import limits, prepare

        refusal = limits.refusal_for(checked, limits.Limits(content_bytes=1 << 30))
        if refusal:
            raise BadInput(refusal)
        clean = prepare.cleaned(checked)[0].tags
        added = [tag for tag in clean if tag not in memory.tags]
        removed = [tag for tag in memory.tags if tag not in clean]
        return self._amended(
            memory.id, lambda tx, one: amend.retag(tx, one, add=added, remove=removed)
        )

    def link(
        self, source: str, target: str, relation: Relation, *, weight: float = 1.0
    ) -> tuple[Memory, Memory]:
        """Link two memories."""
        if not 0.0 <= weight <= 1.0:
            raise BadInput(f"A link's weight is a number from 0 to 1, not {weight:g}.")
        one, other = self.find(source), self.find(target)
        if one.id == other.id:
            raise BadInput("A memory cannot be linked to itself.")
        with self._write() as tx:
            relations.add_link(tx, one.id, other.id, relation, weight=weight)
        return one, other

    def unlink(self, source: str, target: str, relation: Relation) -> bool:
        """Take a link away; whether there was one."""
        one, other = self.find(source), self.find(target)
        with self._write() as tx:
            return relations.remove_link(tx, one.id, other.id, relation)

    def resolve(self, conflict_id: str, resolution: str) -> None:
        """Settle a conflict: `first` (the newer), `second` (the older), `both` or `neither`."""
        with self.store.read() as conn:
            found = [
                one for one in relations.open_conflicts(conn) if one.id.startswith(conflict_id)
            ]
        if len(found) != 1:
            raise NotFound(
                f"There is no open conflict {conflict_id!r}."
                if not found
                else f"{len(found)} conflicts start with {conflict_id!r}.",
                hint="`lore conflicts` lists them.",
            )
        with self._write() as tx:
            amend.resolve(tx, found[0], resolution)

    def aliases(self) -> Mapping[str, Sequence[str]]:
        """The user's aliases here and everywhere."""
        with self.store.read() as conn:
            return relations.aliases_of(conn, self.actor.tenant_id, self.project_id)

    def set_alias(self, term: str, expansions: Sequence[str]) -> None:
        """Search for `expansions` where `term` is asked; none takes the alias away."""
        if not term.strip():
            raise BadInput("An alias needs a word.")
        if any(redacted(text).findings for text in (term, *expansions)):
            raise BadInput("That holds a secret; nothing was stored.", hint="Give plain words.")
        with self._write() as tx:
            relations.set_alias(tx, self.project_id, term.strip().lower(), expansions)

    # The model

    def embedder(self) -> Embedder | None:
        """The embedder, or None while it cannot be used; `model_trouble` says why."""
        return self.house.seat.embedder()

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Use this embedder in place of the one the settings name; None leaves words alone."""
        self.house.use_embedder(embedder)

    @property
    def model_trouble(self) -> str:
        """Why vectors are not used now; empty when they are."""
        return self.house.seat.trouble

    def use_model(self, chosen: Mapping[str, config.Value]) -> None:
        """Let another model make the vectors; `chosen` are settings under `embedding.`.

        Where it gives no usable answer, ModelFailed is raised and the model in use stays.
        """
        named = {f"embedding.{name}": value for name, value in chosen.items()}
        checked = {name: config.checked(name, value) for name, value in named.items()}
        tried = replace(self.settings, values={**self.settings.values, **checked})
        try:
            embedder = open_embedder(embedder_choice(tried), cache_dir=self.places.cache)
            dim = 0 if embedder is None else embedder.embed(["probe"]).shape[1]
        except ModelError as fault:
            raise ModelFailed(
                f"{fault.message} The model in use stays.", hint=fault.hint
            ) from fault
        for name, value in checked.items():
            config.save(self.places.settings, name, value)
        self.house.settings = tried
        self.use_embedder(embedder)
        if embedder is not None:
            with self.store.write(now=self.now(), actor=self.actor) as tx:
                vectors.drop_other_dimensions(tx, embedder.model, dim)

    def embed_waiting(self, *, progress: Progress | None = None, most: int | None = None) -> int:
        """Make the vectors that are missing; can be interrupted and goes on where it stopped."""
        embedder = self.embedder()
        if embedder is None:
            if self.settings.text("embedding.provider") == "none":
                return 0
            raise ModelError(self.model_trouble or "There is no embedding model.")
        return catch_up(
            self.store, embedder, now=self.now(), actor=self.actor, progress=progress, most=most
        )

    def drop_other_spaces(self) -> int:
        """Remove the vectors that other models made."""
        embedder = self.embedder()
        if embedder is None:
            return 0
        with self._write() as tx:
            return vectors.drop_other_spaces(tx, embedder.model)

    def model_state(self) -> ModelState:
        """Which model makes the vectors and how far it has come."""
        embedder = self.embedder()
        with self.store.read() as conn:
            spaces = vectors.spaces(conn)
            waiting = 0 if embedder is None else vectors.count_without(conn, embedder.model)
        name = None if embedder is None else embedder.model
        # A server that is down is noticed only when asked.
        probe = self.house.seat.query_vector("probe")
        return ModelState(
            provider=self.settings.text("embedding.provider"),
            name=name,
            dim=None if probe is None else len(probe),
            leaves_machine=embedder is not None and embedder.leaves_machine,
            ready=embedder is not None and not self.model_trouble,
            trouble=self.model_trouble,
            embedded=spaces.get(name or "", 0),
            waiting=waiting,
            other_spaces={space: count for space, count in spaces.items() if space != name},
        )

    def status(self) -> State:
        """The state of the store, for a person."""
        here = Filter(project_id=self.project_id)
        with self.store.read() as conn:
            kinds = memories.counts_by_kind(conn, here)
            in_all = memories.count(conn, Filter(everywhere=True))
            globally = memories.count(conn, Filter(project_id="-"))
            candidates = memories.count(
                conn, Filter(project_id=self.project_id, statuses=(Status.CANDIDATE,))
            )
            pinned = memories.count(conn, Filter(project_id=self.project_id, pinned=True))
            forgotten = memories.count(conn, Filter(everywhere=True, statuses=(), deleted=True))
            damaged = memories.damaged(conn)
            keys = () if self.project_id is None else projects.keys_of(conn, self.project_id)
        return State(
            store=self.places.store,
            size_bytes=self.places.store.stat().st_size,
            version=self.store.version(),
            encrypted=self.store.key is not None,
            read_only=self.store.read_only,
            project=None if self.project is None else self.project.name,
            project_keys=tuple(keys),
            branch=self.repository.branch,
            memories_here=sum(kinds.values()) - globally,
            memories_global=globally,
            memories_in_all=in_all,
            by_kind=kinds,
            candidates=candidates,
            pinned=pinned,
            open_conflicts=len(self.conflicts()),
            forgotten=forgotten,
            damaged=tuple(damaged),
            backups=len(backup_paths(self.places.backups)),
            model=self.model_state(),
            notes=tuple(self.notes),
        )

    # Files

    def path_here(self, path: str | Path) -> str:
        """`path` as the project names it; raises where it lies outside."""
        relative = inside(self._absolute(path), self.repository.root)
        if relative is None:
            raise BadInput(
                f"{path} lies outside the project {self.repository.root}; nothing was stored.",
                hint="Name a file of this project.",
            )
        return relative

    def _relative(self, path: str | Path) -> str:
        """`path` as the project names it, or as it was given where it lies outside."""
        return inside(self._absolute(path), self.repository.root) or str(path)

    def _absolute(self, path: str | Path) -> Path:
        return Path(path) if Path(path).is_absolute() else self.folder / path

    def readable_source(self, path: str | Path) -> Path:
        """A file whose content may be remembered; raises where it may hold secrets."""
        return self.repository.root / self._source(path)

    def _source(self, path: str | Path) -> str:
        relative = self.path_here(path)
        reason = refusal_for(self.repository.root / relative, self.repository.root)
        if reason is not None:
            raise BadInput(
                f"{relative} is not read: {reason}; nothing was stored.",
                hint="Say what matters of it in your own words.",
            )
        return relative

    # Parts

    def _repository(self) -> Repository:
        repository = repository_at(self.folder)
        with self.store.read() as conn:
            known = projects.known_in(conn, self.actor.tenant_id)
            if wants_root(identity_keys(repository), known):
                repository = rooted(repository)
        return repository

    def _project_for(self, scope: Scope) -> str | None:
        if scope is Scope.GLOBAL:
            return self.project_id
        project = self.init()
        return None if project is None else project.id

    def _desk(self, limits: Limits | None = None) -> Desk:
        embedder = self.embedder()
        return Desk(
            self.store,
            self.house.warm_for(embedder),
            embedder,
            limits or self._limits(),
            self.actor,
            self.checkout.look(),
        )

    def _limits(self) -> Limits:
        return Limits(
            content_bytes=self.settings.whole("limits.content_bytes"),
            per_session=self.settings.whole("limits.per_session"),
            duplicate_cosine=self.settings.number("duplicates.cosine"),
        )

    def _query(
        self,
        text: str,
        *,
        limit: int | None = None,
        files: Sequence[str] = (),
        kinds: Sequence[Kind | str] = (),
        user_search: bool = False,
        include_inactive: bool = False,
    ) -> Query:
        wanted = self.settings.whole("recall.limit") if limit is None else limit
        if wanted < 1:
            raise BadInput("The limit is a number from 1 up.")
        return Query(
            text=text,
            now=self.now(),
            project_id=self.project_id,
            tenant_id=self.actor.tenant_id,
            owner_id=self.actor.owner_id,
            session_id=self.session_id,
            branch=self.repository.branch,
            files=tuple(self._relative(path) for path in files),
            kinds=tuple(known_kind(kind) for kind in kinds),
            limit=wanted,
            user_search=user_search,
            include_inactive=include_inactive,
        )

    def _answer(
        self, query: Query, *, recipe: str | Recipe | None, gate: bool, tag: str | None
    ) -> Recall:
        if not query.text.strip():
            raise BadInput("There is nothing to look for: the query is empty.")
        chosen = recipe_named(recipe or self.settings.text("recall.recipe"))
        started = time.perf_counter()
        vector = self.house.seat.query_vector(query.text) if chosen.wants_vector else None
        with self.store.read() as conn:
            seq = self.store.change_seq(conn)
            warm = self.house.warm_for(self.house.seat.taken)
            warm.refresh(conn, seq=seq)
            means = Means(
                conn=conn,
                warm=warm,
                aliases=self._aliases_at(seq),
                vocabulary=lambda: self.house.vocabulary(seq),
                gate=gate,
                reranker=self.reranker,
                only=None if tag is None else _with_tag(conn, warm, tag),
                code=self.checkout.look,
            )
            answer = run(chosen, query, vector=vector, means=means)
        return replace(answer, took_ms=(time.perf_counter() - started) * 1000)

    def _aliases_at(self, seq: int) -> Mapping[str, Sequence[str]]:
        if self._standing.aliases[0] != seq:
            self._standing.aliases = (seq, {**DEFAULT_ALIASES, **self.aliases()})
        return self._standing.aliases[1]

    def _by_keyword(self, keyword: str, *, inactive: bool) -> Memory:
        answer = self.search(keyword, limit=50, recipe="words", everything=inactive)
        found = [hit.memory for hit in answer.hits if hit.memory.deleted_at is None]
        hits = [memory for memory in found if _says(memory, keyword)] or found
        if not hits:
            raise NotFound(
                f"No memory here has the id or the words {keyword!r}.",
                hint="`lore list` shows the ids there are.",
            )
        if len(hits) > 1:
            raise Ambiguous(
                f"{len(hits)} memories fit {keyword!r}.",
                hint="Give an id: "
                + ", ".join(f"{memory.id[:8]} ({memory.summary[:30]})" for memory in hits[:3]),
                candidates=tuple((memory.id, memory.summary) for memory in hits),
            )
        return hits[0]

    def _amended(
        self,
        reference: str,
        change: Callable[[Tx, Memory], Memory],
        by_keyword: bool = False,
    ) -> Memory:
        memory = self.find(reference, by_keyword=by_keyword)
        with self._write() as tx:
            return change(tx, memories.get(tx.conn, memory.id))

    @contextmanager
    def _write(self) -> Iterator[Tx]:
        with self.store.write(now=self.now(), actor=self.actor) as tx:
            yield tx
        self._after_write()

    def _after_write(self) -> None:
        """What a write brings along: uses that wait, vectors that wait, the house once a day."""
        self._flush_uses()
        now = self.now()
        if now >= self.house.due_at:
            self.house.due_at = now + HOUSE_LOOKED_AFTER
            self.notes += self.house.keep(self.actor)
            if self.house.seat.taken is not None:
                try:
                    self.embed_waiting(most=CATCH_UP_WITH_WRITE)
                except ModelError as fault:
                    self.house.seat.failed(fault)

    def _count_uses(self, answer: Recall) -> None:
        """Being recalled counts for what is confirmed; a candidate must be used or confirmed."""
        for hit in answer.hits:
            if hit.memory.status is Status.CONFIRMED:
                self._uses[hit.memory.id] = None
        if len(self._uses) >= USES_KEPT:
            self._flush_uses()

    def _flush_uses(self) -> None:
        if self._uses and not self.store.read_only:
            ids = tuple(self._uses)
            self._uses.clear()
            # A full disk or a busy store must not cost the answer; these uses go uncounted.
            with (
                suppress(StoreError),
                self.store.write(now=self.now(), actor=self.actor) as tx,
            ):
                memories.touch(tx, ids)


def open(  # noqa: A001  `loremap.open` is the name people expect
    folder: str | Path = ".",
    *,
    session_id: str | None = None,
    agent: str | None = None,
    now: Callable[[], datetime] = utc_now,
) -> Lore:
    """The memory as seen from `folder`."""
    places = folders()
    return Lore(
        Path(folder).absolute(),
        places=places,
        settings=config.load(places.settings),
        session_id=session_id,
        agent=agent,
        now=now,
    )


@lru_cache(maxsize=1_024)
def _name_kept(name: str) -> str:
    """A session or an agent is named by its client; what a name may hold, no file shall keep."""
    return redacted(name).text


@dataclass(slots=True)
class _Standing:
    """What all that speak from one folder share: its project, its aliases."""

    project: projects.Project | None
    settled: bool = False
    aliases: tuple[int, Mapping[str, Sequence[str]]] = (-1, {})  # never changed in place


def _is_withheld(hit: Hit) -> bool:
    return hit.freshness is not None and withheld(hit.memory.kind, hit.freshness.freshness)


def _says(memory: Memory, keyword: str) -> bool:
    """Whether every word of `keyword` is in what is indexed of `memory`."""
    said = words(" ".join((memory.content, *memory.tags, *memory.files)))
    return set(words(keyword)) <= set(said)


def _with_tag(conn: Connection, warm: Warm, tag: str) -> Mask:
    rows = memories.rows_with_tag(conn, tag)
    mask = np.zeros(warm.size, np.bool_)
    slots = warm.slots_of(np.asarray(rows, np.int64))
    mask[slots[slots >= 0]] = True
    return mask
