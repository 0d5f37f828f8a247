"""The memory of one user as seen from one folder: remember, recall, look, amend, keep.

`Lore` names every verb; what it stands on is in `workspace`, how a verb is done in the module
that the verb calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from loremap.app.engine import open_engine
from loremap.config import settings as config
from loremap.config.folders import Folders, folders
from loremap.embedding.protocol import Embedder
from loremap.memory import (
    anchoring,
    changing,
    looking,
    recalling,
    remembering,
    status,
    undoing,
    vector_model,
    writing,
)
from loremap.memory.admission.amend import Edit
from loremap.memory.admission.embed import Progress
from loremap.memory.admission.limits import Limits
from loremap.memory.engine import Engine
from loremap.memory.graph.graph import Graph
from loremap.memory.known_facts import Facts
from loremap.memory.lessons import Lessons
from loremap.memory.modules import Modules
from loremap.memory.recall.recipes import Recipe
from loremap.memory.workspace import Workspace, utc_now
from loremap.memory.workspaces import Workspaces
from loremap.model.act import Act
from loremap.model.anchor import Checked
from loremap.model.kind import Kind, known_kind
from loremap.model.memory import (
    ACTIVE,
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
from loremap.model.recall import Alert, Hit, Recall
from loremap.model.signal import Sign
from loremap.model.state import ModelState, Shown, State
from loremap.sessions import runners
from loremap.storage.changes import Event
from loremap.storage.memories import Filter
from loremap.storage.projects import Project

if TYPE_CHECKING:
    from loremap.code.locate.rank import Located
    from loremap.memory.brief.brief import Brief
    from loremap.memory.tending.tended import Tending
    from loremap.sessions.commits.history import History
    from loremap.sessions.episodes.asked import Episodes
    from loremap.sessions.patterns.asked import Patterns
    from loremap.sessions.session_memory import SessionMemory


class Lore(Workspace):
    """The memory of one user, seen from one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        places: Folders,
        settings: config.Settings,
        now: Callable[[], datetime] = utc_now,
        session_id: str | None = None,
        agent: str | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._is_guest = engine is not None
        engine = engine or open_engine(places, settings, now=now)
        super().__init__(folder, engine=engine, session_id=session_id, agent=agent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def modules(self) -> Modules:
        """The module map, changed in the name of whoever speaks here."""
        return Modules(self)

    @property
    def graph(self) -> Graph:
        """What belongs together here: tags, clusters, what is similar."""
        return Graph(self)

    @property
    def tending(self) -> Tending:
        """What is done to what is known when nobody asks for it."""
        from loremap.memory.tending.tended import Tending  # few commands look after the store

        return Tending(self)

    @property
    def facts(self) -> Facts:
        """What is known of things, changed in the name of whoever speaks here."""
        return Facts(self)

    @property
    def sessions(self) -> SessionMemory:
        """What sessions here have taught, and what of it waits for a person."""
        from loremap.sessions.session_memory import SessionMemory  # few commands learn

        return SessionMemory(self)

    @property
    def patterns(self) -> Patterns:
        """What happens again and again in the sessions here."""
        from loremap.sessions.patterns.asked import Patterns  # few commands ask

        return Patterns(self)

    @property
    def commits(self) -> History:
        """What the commits of this repository teach."""
        from loremap.sessions.commits.history import History  # few commands learn

        return History(self)

    @property
    def episodes(self) -> Episodes:
        """What was done here: files, tasks, tools, sessions."""
        from loremap.sessions.episodes.asked import Episodes  # few commands ask

        return Episodes(self)

    @property
    def lessons(self) -> Lessons:
        """What use has taught: what was wrong, is not learned again, was asked in vain."""
        return Lessons(self)

    def close(self) -> None:
        """Write down the recalls that wait, and let go of the store."""
        writing.let_go(self)
        if not self._is_guest:
            self.engine.close()

    def init(self) -> Project | None:
        """Make this folder's project known to the store."""
        return writing.settled_project(self)

    # Remember

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.FACT,
        scope: Scope | str = Scope.PROJECT,
        tags: Sequence[str] = (),
        files: Sequence[str | Path] = (),
        symbols: Sequence[str] = (),
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
        replaces: str | None = None,
        seasonal: str | None = None,
    ) -> Outcome:
        """Remember `text`; the outcome says whether it is new, was known, or replaces something,
        and what stands near. `symbols` name code of the project that it is about, beside what its
        words name; `replaces` is the id of the memory whose place it takes; `seasonal` names the
        season in which it is told."""
        meant = [self.code.symbol(name) for name in symbols]
        about = [*(self.path_here(path) for path in files), *(one.path for one in meant)]
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
                role=self.role,
                branch=self.repository.branch,
                commit_id=self.branches.commit_now(),
                source_file=None if source_file is None else self.source_here(source_file),
                snippet=snippet,
                confidence_reason=reason,
                files=tuple(dict.fromkeys(about)),
                symbols=tuple(one.key for one in meant),
                tags=tuple(tags),
                triggers=tuple(triggers),
                procedure=procedure,
                replaces=replaces,
                seasonal=seasonal or None,
            )
        )

    def note(
        self,
        runner: str,
        text: str,
        *,
        kind: Kind | str | None = None,
        files: Sequence[str | Path] = (),
        tags: Sequence[str] = (),
    ) -> Outcome:
        """Remember, as a candidate, what a program beside the agents found: `insights`, `roadmap`,
        `ideation` or `pr_review`, each with kinds of its own."""
        return runners.note(self, runner, text, kind=kind, files=files, tags=tags)

    def note_review(self, text: str) -> Sequence[Outcome]:
        """Remember, as candidates, what the reviewers of a pull request said, of the JSON that `gh`
        prints; strangers' words are held back."""
        return runners.note_review(self, text)

    def admit(self, candidate: Candidate) -> Outcome:
        """Remember one candidate."""
        return remembering.admit(self, candidate)

    def admit_all(
        self, candidates: Sequence[Candidate], *, limits: Limits | None = None
    ) -> Sequence[Outcome]:
        """Remember many candidates in one transaction; imports and benchmarks pass own limits."""
        return remembering.admit_all(self, candidates, limits=limits)

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
        return recalling.recall(
            self,
            text,
            limit=limit,
            recipe=recipe,
            files=files,
            kinds=kinds,
            tag=tag,
            gate=gate,
            count_use=count_use,
        )

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
        query = recalling.query(
            self, text, limit=limit, kinds=kinds, user_search=True, include_inactive=everything
        )
        return recalling.answer(self, query, recipe=recipe, gate=False, tag=tag)

    def brief(self, task: str, *, budget_tokens: int | None = None) -> Brief:
        """What an agent is told before `task`, in about 1,800 tokens or as many as are given; its
        `text` is empty if nothing here concerns it."""
        from loremap.memory import briefing  # who only remembers needs no map

        return briefing.briefed(self, task, budget_tokens=budget_tokens)

    def locate(self, text: str, *, limit: int = 10) -> Located:
        """The files that a task most likely means, the likeliest first, each with its reasons."""
        return self.code.locate(text, limit=limit)

    def telling(self, text: str) -> frozenset[str]:
        """The words of a text that tell what it is about, by what is remembered."""
        return recalling.telling(self, text)

    def about(self, files: Iterable[str]) -> Sequence[Hit]:
        """What is confirmed about files of this project, the most important first; without what
        is withheld because its code is gone here."""
        return recalling.about(self, files)

    def endings(self, answer: Recall) -> Sequence[Hit]:
        """What came of the sessions that an answer is about, the newest session first."""
        return recalling.endings(self, answer, alike=())

    def check(
        self,
        *,
        command: str | None = None,
        files: Sequence[str] = (),
        text: str | None = None,
        limit: int = 3,
    ) -> Sequence[Alert]:
        """The warnings that fire on what is about to be done; needs no embedding model."""
        return recalling.alerts(self, command=command, files=files, text=text, limit=limit)

    def used(self, ids: Iterable[str]) -> None:
        """Count memories as used in the work of this session, candidates too, once each."""
        writing.use(self, ids)

    def aliases(self) -> Mapping[str, Sequence[str]]:
        """The user's aliases here and everywhere, and those that the project tells."""
        return recalling.aliases(self)

    # Look

    def find(self, reference: str, *, by_keyword: bool = False, inactive: bool = False) -> Memory:
        """The memory a person means by an id, the end of one, or (where allowed) a keyword;
        with `inactive` a keyword also finds what was replaced or withdrawn."""
        return looking.find(self, reference, by_keyword=by_keyword, inactive=inactive)

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
            ids=anchoring.stale_ids(self) if stale else None,
            deleted=deleted,
        )
        return looking.listed(self, wanted, limit=limit, offset=offset)

    def withheld(self) -> int:
        """How many memories and links of the store are left out because they are damaged."""
        return looking.withheld(self)

    def show(self, reference: str, *, by_keyword: bool = False) -> Shown:
        """A memory with its sources, links and conflicts."""
        return looking.shown(self, self.find(reference, by_keyword=by_keyword))

    def summaries(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The summaries of some memories, by id."""
        return looking.summaries(self, ids)

    def freshness(self, found: Sequence[Memory]) -> Mapping[str, Checked]:
        """What became of the code that memories of this project speak of, by id; what is not
        anchored is left out."""
        return anchoring.freshness(self, found)

    def history(self, reference: str) -> Sequence[Change]:
        """What happened to a memory, oldest first."""
        return looking.history(self, self.find(reference).id)

    def log(self, *, limit: int = 50, reference: str | None = None) -> Sequence[Event]:
        """The audit trail, newest first."""
        memory_id = None if reference is None else self.find(reference).id
        return looking.trail(self, limit=limit, memory_id=memory_id)

    def conflicts(self) -> Sequence[tuple[Conflict, Memory, Memory]]:
        """Open conflicts of this project and the global ones, each with its two sides, the newer
        first."""
        return looking.conflicts(self)

    def waiting_for_review(self, *, limit: int = 200) -> Sequence[Memory]:
        """Candidates nobody has confirmed yet, oldest last."""
        return self.list(statuses=(Status.CANDIDATE,), limit=limit)

    def status(self) -> State:
        """The state of the store, for a person."""
        return status.status(self)

    # Change

    def edit(
        self, reference: str, change: Edit, *, expected_version: int | None = None
    ) -> tuple[Memory, tuple[str, ...]]:
        """Change a memory by hand. Here and below, `expected_version` is the version of it that
        was looked at: where it was changed since, Stale is raised and nothing is written."""
        return changing.edit(self, reference, change, expected_version=expected_version)

    def pin(self, reference: str, *, expected_version: int | None = None) -> Memory:
        """Keep a memory in every session's start."""
        return changing.pin(self, reference, pinned=True, expected_version=expected_version)

    def unpin(self, reference: str, *, expected_version: int | None = None) -> Memory:
        """Take the pin off."""
        return changing.pin(self, reference, pinned=False, expected_version=expected_version)

    def confirm(self, reference: str, *, expected_version: int | None = None) -> Memory:
        """Say that a memory is true, of the code as it is now."""
        return changing.confirm(self, reference, expected_version=expected_version)

    def feedback(
        self,
        reference: str,
        *,
        helpful: bool,
        wrong: bool = False,
        expected_version: int | None = None,
    ) -> Memory:
        """Vote on a memory: that it helped, did not, or (`wrong`) does not hold."""
        against = Sign.WRONG if wrong else Sign.UNHELPFUL
        sign = Sign.HELPFUL if helpful and not wrong else against
        return changing.vote(self, reference, sign, expected_version=expected_version)

    def retract(
        self, reference: str, *, reason: str = "user_flagged", expected_version: int | None = None
    ) -> Memory:
        """Say that a memory is wrong."""
        return changing.retract(self, reference, reason=reason, expected_version=expected_version)

    def forget(
        self,
        reference: str,
        *,
        now_and_forever: bool = False,
        expected_version: int | None = None,
    ) -> tuple[Sequence[Memory], bool]:
        """Forget: softly, or at once and completely with what was derived from it.

        Returns what was forgotten, and False only where another process still reads the old log.
        """
        if now_and_forever:
            return changing.erase(self, reference, expected_version=expected_version)
        return [changing.forget(self, reference, expected_version=expected_version)], True

    def restore(self, reference: str, *, expected_version: int | None = None) -> Memory:
        """Bring back what was forgotten, withdrawn or replaced."""
        return changing.restore(self, reference, expected_version=expected_version)

    def last_act(self, reference: str | None = None) -> Act:
        """The last act here, or on a memory, that `undo` would take back."""
        return undoing.last_act(self, reference)

    def named_act(self, act: Act) -> str:
        """What an act did, in a few words."""
        return undoing.named_act(self, act)

    def undo(
        self, reference: str | None = None, *, change_id: str | None = None
    ) -> Sequence[Memory]:
        """Take back the last act here, or on a memory, whatever it was; returns the memories it
        touched. With `change_id` it must still be that one."""
        touched, map_changed = undoing.undo(self, reference, change_id=change_id)
        if map_changed:
            self.modules.refresh()
        return touched

    def tag(
        self,
        reference: str,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        expected_version: int | None = None,
    ) -> Memory:
        """Add and take away tags."""
        return changing.tag(
            self, reference, add=add, remove=remove, expected_version=expected_version
        )

    def edit_tags(self, memory: Memory, wanted: tuple[str, ...]) -> Memory:
        """Set a memory's tags; they pass the same checks as new ones."""
        return changing.set_tags(self, memory, wanted)

    def link(
        self, source: str, target: str, relation: Relation, *, weight: float = 1.0
    ) -> tuple[Memory, Memory]:
        """Link two memories; what the first supersedes no longer speaks, what it contradicts is
        in conflict with it."""
        return changing.link(self, source, target, relation, weight=weight)

    def unlink(self, source: str, target: str, relation: Relation) -> bool:
        """Take a link away; whether there was one."""
        return changing.unlink(self, source, target, relation)

    def merge(self, source: str, into: str) -> Memory:
        """Say that two memories are the same thing: `source` goes, and `into` counts for more."""
        return changing.merge(self, source, into)

    def resolve(self, conflict_id: str, resolution: str) -> None:
        """Settle a conflict: `first` (the newer), `second` (the older), `both` or `neither`."""
        changing.resolve(self, conflict_id, resolution)

    def set_alias(self, term: str, expansions: Sequence[str]) -> None:
        """Search for `expansions` where `term` is asked; none takes the alias away."""
        changing.set_alias(self, term, expansions)

    # The model

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Use this embedder in place of the one the settings name; None leaves words alone."""
        self.engine.use_embedder(embedder)

    def use_model(self, chosen: Mapping[str, config.Value]) -> None:
        """Let another model make the vectors; `chosen` are settings under `embedding.`.

        Where it gives no usable answer, ModelFailed is raised and the model in use stays.
        """
        vector_model.use_model(self, chosen)

    def embed_waiting(self, *, progress: Progress | None = None, most: int | None = None) -> int:
        """Make the vectors that are missing; can be interrupted and goes on where it stopped."""
        return writing.embed_waiting(self, progress=progress, most=most)

    def drop_other_spaces(self) -> int:
        """Remove the vectors that other models made."""
        return vector_model.drop_other_spaces(self)

    def model_state(self) -> ModelState:
        """Which model makes the vectors and how far it has come."""
        return vector_model.model_state(self)


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


def open_workspaces(places: Folders, *, now: Callable[[], datetime] = utc_now) -> Workspaces[Lore]:
    """The memory of one user as a long-lived process holds it for every session."""
    engine = open_engine(places, config.load(places.settings), now=now)

    def opened(folder: Path) -> Lore:
        return Lore(folder, places=places, settings=engine.settings, now=now, engine=engine)

    return Workspaces(engine, opened)
