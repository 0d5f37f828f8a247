"""The kinds of memory, and the one table that says how each is kept, weighed and shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loremap.errors import BadInput


class Kind(StrEnum):
    """What a memory is about."""

    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CORRECTION = "correction"
    WARNING = "warning"
    DECISION = "decision"
    CONVENTION = "convention"
    ARCHITECTURE = "architecture"
    GOTCHA = "gotcha"
    DISCOVERY = "discovery"
    ERROR_PATTERN = "error_pattern"
    CONTEXT = "context"
    ENVIRONMENT_QUIRK = "environment_quirk"
    HUMAN_FEEDBACK = "human_feedback"
    DEPENDENCY_RELATION = "dependency_relation"
    SESSION_INSIGHT = "session_insight"
    TASK_OUTCOME = "task_outcome"
    TASK_PROGRESS = "task_progress"
    FILE_CHANGE = "file_change"
    CODEBASE_DISCOVERY = "codebase_discovery"
    CODEBASE_MAP = "codebase_map"
    PR_REVIEW = "pr_review"
    PR_FINDING = "pr_finding"
    PR_PATTERN = "pr_pattern"
    PR_GOTCHA = "pr_gotcha"
    DEAD_END = "dead_end"
    WORK_STATE = "work_state"


@dataclass(frozen=True, slots=True)
class KindRule:
    """How one kind is kept, weighed and shown."""

    half_life_days: float | None
    """Confidence halves after this long without use; None never fades."""
    candidate_days: float | None
    """An unused, unconfirmed memory lives this long; None has no end."""
    weight: float
    """Multiplies the score in the `lexical` recipe by kind."""
    label: str
    """How it is shown to a person and to an agent."""
    importance: float
    """Starting importance when the caller says nothing."""
    always_on: bool = False
    """Belongs to the tier that every session starts with, once confirmed."""
    branch_bound: bool = False
    """Is shown only on the branch where it was written."""
    episodic: bool = False
    """Tells what happened once: a later one stands beside it and replaces nothing."""
    may_trigger: bool = False
    """May carry trigger patterns that `lore check` matches."""
    seed_names: tuple[str, ...] = ()
    """Other names people use for it."""


_NEVER = None

RULES: dict[Kind, KindRule] = {
    Kind.FACT: KindRule(30, 60, 1.0, "FACT", 0.5, seed_names=("note",)),
    Kind.PREFERENCE: KindRule(180, 365, 1.1, "PREFERENCE", 0.6, always_on=True),
    Kind.PROCEDURE: KindRule(60, 180, 1.1, "PROCEDURE", 0.6, seed_names=("howto", "how-to")),
    Kind.CORRECTION: KindRule(365, 365, 1.3, "CORRECTION", 0.8, always_on=True, may_trigger=True),
    Kind.WARNING: KindRule(
        365, 365, 1.3, "WARNING", 0.8, always_on=True, may_trigger=True, seed_names=("negative",)
    ),
    Kind.DECISION: KindRule(_NEVER, 180, 1.2, "DECISION", 0.7, always_on=True),
    Kind.CONVENTION: KindRule(
        _NEVER, 180, 1.2, "CONVENTION", 0.7, always_on=True, seed_names=("pattern",)
    ),
    Kind.ARCHITECTURE: KindRule(_NEVER, 180, 1.2, "ARCHITECTURE", 0.7),
    Kind.GOTCHA: KindRule(60, 90, 1.2, "GOTCHA", 0.7, may_trigger=True),
    Kind.DISCOVERY: KindRule(30, 21, 0.9, "DISCOVERY", 0.4),
    Kind.ERROR_PATTERN: KindRule(60, 90, 1.1, "ERROR", 0.6, seed_names=("error",)),
    Kind.CONTEXT: KindRule(7, 14, 0.8, "CONTEXT", 0.3, episodic=True, branch_bound=True),
    Kind.ENVIRONMENT_QUIRK: KindRule(7, 14, 1.0, "ENVIRONMENT", 0.5, seed_names=("environment",)),
    Kind.HUMAN_FEEDBACK: KindRule(
        _NEVER, _NEVER, 1.4, "FEEDBACK", 0.9, always_on=True, seed_names=("feedback",)
    ),
    Kind.DEPENDENCY_RELATION: KindRule(
        _NEVER, 180, 1.0, "DEPENDENCY", 0.5, seed_names=("dependency",)
    ),
    Kind.SESSION_INSIGHT: KindRule(
        30, 60, 0.9, "INSIGHT", 0.5, episodic=True, seed_names=("insight",)
    ),
    Kind.TASK_OUTCOME: KindRule(
        30, 60, 0.9, "OUTCOME", 0.5, episodic=True, seed_names=("outcome",)
    ),
    Kind.TASK_PROGRESS: KindRule(
        7, 14, 0.8, "PROGRESS", 0.3, episodic=True, branch_bound=True, seed_names=("progress",)
    ),
    Kind.FILE_CHANGE: KindRule(14, 21, 0.7, "CHANGE", 0.3, episodic=True),
    Kind.CODEBASE_DISCOVERY: KindRule(30, 21, 0.9, "DISCOVERY", 0.4),
    Kind.CODEBASE_MAP: KindRule(_NEVER, 180, 1.0, "MAP", 0.5),
    Kind.PR_REVIEW: KindRule(90, 180, 1.0, "REVIEW", 0.5, episodic=True),
    Kind.PR_FINDING: KindRule(90, 180, 1.0, "REVIEW", 0.5, episodic=True),
    Kind.PR_PATTERN: KindRule(90, 180, 1.0, "REVIEW", 0.5),
    Kind.PR_GOTCHA: KindRule(60, 90, 1.1, "REVIEW", 0.6, may_trigger=True),
    Kind.DEAD_END: KindRule(
        60, 90, 1.2, "DEAD END", 0.7, may_trigger=True, seed_names=("deadend", "dead-end")
    ),
    Kind.WORK_STATE: KindRule(7, 14, 0.9, "WORK STATE", 0.5, branch_bound=True),
}

OFFERED = (
    Kind.FACT,
    Kind.DECISION,
    Kind.CONVENTION,
    Kind.PREFERENCE,
    Kind.PROCEDURE,
    Kind.WARNING,
    Kind.GOTCHA,
    Kind.DEAD_END,
)
"""The kinds that people are offered; the others are mostly written by agents and rules."""

INFERRED_HALF_LIFE_DAYS = 7.0
"""Whatever its kind, an inferred memory fades at least this fast until someone confirms it."""
INFERRED_CANDIDATE_DAYS = 21.0

_BY_NAME = {kind.value: kind for kind in Kind} | {
    name: kind for kind, rule in RULES.items() for name in rule.seed_names
}


def kind_named(name: str) -> Kind | None:
    """The kind called `name`, by its own name or another people use."""
    return _BY_NAME.get(name.strip().lower().replace(" ", "_"))


def known_kind(kind: Kind | str) -> Kind:
    """The kind of that name; raises BadInput if there is none."""
    found = kind if isinstance(kind, Kind) else kind_named(kind)
    if found is None:
        import difflib

        near = difflib.get_close_matches(str(kind), [each.value for each in RULES], n=1)
        every = f"Kinds: {', '.join(OFFERED)}; `lore kinds` lists all."
        raise BadInput(
            f"There is no kind {kind!r}.",
            hint=f"Did you mean {near[0]!r}?" if near else every,
        )
    return found
