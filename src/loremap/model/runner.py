"""Programs beside coding agents that note what they find: which kinds each writes."""

from __future__ import annotations

from loremap.errors import BadInput
from loremap.model.kind import Kind, known_kind

BY_RUNNER = "runner:"
"""How the name of a runner begins where it wrote a memory."""
RUNNERS: dict[str, tuple[Kind, ...]] = {
    "insights": (
        Kind.CODEBASE_DISCOVERY, Kind.ARCHITECTURE, Kind.CONVENTION, Kind.SESSION_INSIGHT,
    ),
    "roadmap": (Kind.DECISION, Kind.CONTEXT, Kind.WORK_STATE),
    "ideation": (Kind.DISCOVERY, Kind.GOTCHA, Kind.SESSION_INSIGHT),
    "pr_review": (Kind.PR_FINDING, Kind.PR_REVIEW, Kind.PR_PATTERN, Kind.PR_GOTCHA),
}  # fmt: skip
"""What each may note, the first where it does not say."""


def kind_noted(runner: str, kind: Kind | str | None) -> Kind:
    """The kind that a runner notes something as; raises BadInput where it writes none such."""
    known = RUNNERS.get(runner)
    if known is None:
        raise BadInput(f"There is no runner {runner!r}.", hint=f"Runners: {', '.join(RUNNERS)}.")
    wanted = known[0] if kind is None else known_kind(kind)
    if wanted not in known:
        may = ", ".join(one.value for one in known)
        raise BadInput(f"The runner {runner} notes no {wanted.value}.", hint=f"It notes: {may}.")
    return wanted
