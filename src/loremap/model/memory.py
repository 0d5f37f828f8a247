"""A memory and everything that hangs on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from loremap.model.kind import Kind


class Status(StrEnum):
    """Where a memory stands in its life."""

    CANDIDATE = "candidate"
    CONFIRMED = "confirmed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


ACTIVE = (Status.CANDIDATE, Status.CONFIRMED)


class Scope(StrEnum):
    """Where a memory is recalled."""

    GLOBAL = "global"
    PROJECT = "project"
    SESSION = "session"


class Visibility(StrEnum):
    """Who may see a memory."""

    PRIVATE = "private"
    TEAM = "team"
    PROJECT = "project"


class Origin(StrEnum):
    """How a memory came to be known."""

    USER_EDIT = "user_edit"
    USER_STATED = "user_stated"
    USER_CORRECTED = "user_corrected"
    FILE = "file"
    SYSTEM = "system"
    OBSERVED = "observed"
    CONVERSATION = "conversation"
    EXTRACTED = "extracted"
    INFERRED = "inferred"
    WEB = "web"
    TOOL_OUTPUT = "tool_output"


TRUST: dict[Origin, float] = {
    Origin.USER_EDIT: 2.0,
    Origin.USER_STATED: 1.5,
    Origin.USER_CORRECTED: 1.5,
    Origin.FILE: 1.5,
    Origin.SYSTEM: 1.2,
    Origin.OBSERVED: 1.2,
    Origin.CONVERSATION: 1.0,
    Origin.EXTRACTED: 1.0,
    Origin.INFERRED: 0.7,
    Origin.WEB: 0.5,
    Origin.TOOL_OUTPUT: 0.5,
}
"""How far the source of a memory is believed."""

FROM_USER = frozenset({Origin.USER_EDIT, Origin.USER_STATED, Origin.USER_CORRECTED})
TAINTED = frozenset({Origin.WEB, Origin.TOOL_OUTPUT, Origin.FILE})
"""Origins an outsider can write to: such a memory is withheld until a person confirms it."""
VOTED_DOWN = 3
"""So many votes against a memory, beyond those for it, take it out of every brief."""
BY_RULE = "rule:"
"""How the name of a writer begins that is neither a person nor an agent."""
_READ_OFF = frozenset({Origin.CONVERSATION, Origin.OBSERVED})
BY_GIT = f"{BY_RULE}git"
"""Who writes down what the messages of commits teach."""
UNREVIEWED_TRUST = 0.7
"""How far a line of a repository's file is believed before its owner kept it."""


def trust_in(origin: Origin, *, confirmed: bool) -> float:
    """How far a memory of that origin is believed, by whether a person stands behind it."""
    unreviewed = origin is Origin.FILE and not confirmed
    return UNREVIEWED_TRUST if unreviewed else TRUST[origin]


class Relation(StrEnum):
    """How one memory is linked to another."""

    RELATES_TO = "relates_to"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    DEPENDS_ON = "depends_on"
    CAUSED_BY = "caused_by"


RELATION_NAMES: dict[str, Relation] = {relation.value: relation for relation in Relation} | {
    "related_to": Relation.RELATES_TO
}


class ConflictType(StrEnum):
    """What two memories in conflict are to each other."""

    CONTRADICTORY = "contradictory"
    SUPERSEDED = "superseded"
    AMBIGUOUS = "ambiguous"


TriggerKind = Literal["literal", "glob", "regex"]
TriggerPlace = Literal["any", "command", "file", "text"]


@dataclass(frozen=True, slots=True)
class Trigger:
    """A pattern at whose sight a memory speaks up."""

    kind: TriggerKind
    pattern: str
    on: TriggerPlace = "any"


@dataclass(frozen=True, slots=True)
class Procedure:
    """How something is done, step by step."""

    name: str
    trigger: str = ""
    steps: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """It as a sentence, so that words and vectors find it."""
        numbered = " ".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))
        when = f" When: {self.trigger}." if self.trigger else ""
        return f"To {self.name}: {numbered}{when}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """One link of the chain that says where a memory comes from."""

    source: Origin
    at: datetime
    session_id: str | None = None
    snippet: str = ""
    confidence_reason: str = ""
    file: str | None = None
    line: int | None = None
    actor: str = ""
    """Who said it: `user`, or `agent:` and its name."""
    agent: str | None = None
    """The client it was said in."""
    branch: str | None = None
    commit_id: str | None = None
    """What was checked out then."""

    @property
    def was_read(self) -> bool:
        """Whether a rule read it off a session: off what a person typed, or what was done there.
        What the agent said counts for nothing: it repeats what it was told."""
        return self.source in _READ_OFF and self.actor.startswith(BY_RULE)


@dataclass(frozen=True, slots=True)
class Link:
    """A directed relation between two memories."""

    source_id: str
    target_id: str
    relation: Relation
    weight: float
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that cannot both be followed."""

    id: str
    memory_a: str
    memory_b: str
    type: ConflictType
    reason: str
    detected_at: datetime
    resolved_at: datetime | None = None
    resolution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing worth knowing in a later session."""

    id: str
    kind: Kind
    content: str
    summary: str
    status: Status
    scope: Scope
    project_id: str | None
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    origin: Origin
    fingerprint: str
    tenant_id: str = "local"
    owner_id: str = "me"
    created_by: str = "user"
    visibility: Visibility = Visibility.PRIVATE
    confidence: float = 0.5
    """Is it true? The base value: what fades is computed when read."""
    importance: float = 0.5
    """Is it worth keeping?"""
    trust: float = 1.0
    """How far the source is believed."""
    pinned: bool = False
    tainted: bool = False
    uses: int = 0
    """How often it was recalled or used in work; the next four are counted apart from it."""
    repetitions: int = 0
    """How often it was said again by someone whose word tells anything."""
    confirmations: int = 0
    """How often a person said that it is true."""
    helpful: int = 0
    unhelpful: int = 0
    """How often it was said to have helped, and not to have helped."""
    session_id: str | None = None
    message_start: int | None = None
    message_end: int | None = None
    agent: str | None = None
    branch: str | None = None
    commit_id: str | None = None
    """The commit of its branch at which it was written; see `model.branches`."""
    source_file: str | None = None
    seasonal: str | None = None
    recency_weight: float = 1.0
    superseded_by: str | None = None
    retracted_reason: str | None = None
    valid_until: datetime | None = None
    promoted_at: datetime | None = None
    """When what speaks for it first sufficed without a person: its quarantine began. None again
    once a person stands behind it."""
    judged_at: datetime | None = None
    """When its quarantine ended, which happens once."""
    deleted_at: datetime | None = None
    version: int = 1
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    procedure: Procedure | None = None

    @property
    def access_count(self) -> int:
        """How often anybody had to do with it, in whatever way: what its scores go by."""
        said = self.repetitions + self.confirmations + self.helpful + self.unhelpful
        return self.uses + said

    @property
    def strength(self) -> int:
        """How many times it was consolidated: said, said again, confirmed, found helpful."""
        return 1 + self.repetitions + self.confirmations + self.helpful

    @property
    def typed(self) -> bool:
        """Whether a rule read it from what a person typed in a session."""
        return self.origin is Origin.CONVERSATION and self.created_by.startswith(BY_RULE)

    @property
    def active(self) -> bool:
        """Whether it still speaks: neither replaced, withdrawn nor deleted."""
        return self.status in ACTIVE and self.deleted_at is None

    @property
    def vouched(self) -> bool:
        """Whether a person stands behind it. What use alone has borne out is believed too, and is
        nobody's word."""
        return self.status is Status.CONFIRMED and self.promoted_at is None

    @property
    def voted_down(self) -> bool:
        """Whether more people and agents found it useless than stand behind it: it is said to no
        agent from then on."""
        return self.unhelpful - self.helpful - self.confirmations >= VOTED_DOWN

    @property
    def held_back(self) -> bool:
        """Whether it is said to no agent until a person confirms it."""
        return self.tainted and self.status is Status.CANDIDATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What somebody wants remembered, before admission."""

    content: str
    kind: Kind = Kind.FACT
    scope: Scope = Scope.PROJECT
    origin: Origin = Origin.USER_STATED
    created_by: str = "user"
    visibility: Visibility | None = None
    confidence: float | None = None
    importance: float | None = None
    summary: str | None = None
    pinned: bool = False
    confirmed: bool = False
    """A person chose it, wherever it comes from."""
    session_id: str | None = None
    message_start: int | None = None
    message_end: int | None = None
    agent: str | None = None
    """The client it was said in."""
    role: str | None = None
    """The subagent's whose word or work it is, where one's is: the memory bears it as its agent."""
    branch: str | None = None
    commit_id: str | None = None
    source_file: str | None = None
    source_line: int | None = None
    seasonal: str | None = None
    snippet: str = ""
    confidence_reason: str = ""
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    """What of the code it is about, as `path::Class.method`, beside what its words name."""
    tags: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    procedure: Procedure | None = None
    created_at: datetime | None = None
    """When it was said, where that is not now (imports, transcripts)."""
    replaces: str | None = None
    """The id of the memory whose place it takes, where its writer says so."""


@dataclass(frozen=True, slots=True)
class Actor:
    """On whose behalf something is done."""

    tenant_id: str = "local"
    owner_id: str = "me"
    name: str = "user"


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a memory's history."""

    change_id: str
    memory_id: str
    version: int
    action: str
    at: datetime
    actor: str
    before: dict[str, object] | None = field(default=None)
    undone: bool = False
