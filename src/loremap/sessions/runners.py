"""What programs beside coding agents note: candidates in their own name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loremap.memory import remembering
from loremap.memory.workspace import Workspace
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin
from loremap.model.outcome import Outcome
from loremap.model.runner import BY_RUNNER, kind_noted
from loremap.safety.ignored import inside
from loremap.sessions.reviews import comments_in

PR_REVIEW = "pr_review"


def note(
    here: Workspace,
    runner: str,
    text: str,
    *,
    kind: Kind | str | None = None,
    files: Sequence[str | Path] = (),
    tags: Sequence[str] = (),
) -> Outcome:
    """Remember, as a candidate, what a runner found."""
    return remembering.admit(
        here,
        replace(
            _by(here, runner),
            content=text,
            kind=kind_noted(runner, kind),
            files=tuple(here.path_here(path) for path in files),
            tags=tuple(tags),
        ),
    )


def note_review(here: Workspace, text: str) -> list[Outcome]:
    """Remember, as candidates, what the reviewers of a pull request said; the words of those who
    do not belong to the project are held back until a person confirms them."""
    base = _by(here, PR_REVIEW)
    return [
        remembering.admit(
            here,
            replace(
                base,
                content=one.text,
                kind=one.kind,
                origin=Origin.OBSERVED if one.is_own else Origin.WEB,
                files=_inside(here, one.file),
                created_at=one.at,
                snippet=" ".join(filter(None, (one.author, one.place, one.url))),
                confidence_reason=f"said by {one.author or 'a reviewer'} in a review",
            ),
        )
        for one in comments_in(text)
    ]


def _inside(here: Workspace, path: str | None) -> tuple[str, ...]:
    """The file as the project names it; nothing where it lies outside."""
    named = None if path is None else inside(here.repository.root / path, here.repository.root)
    return () if named is None else (named,)


def _by(here: Workspace, runner: str) -> Candidate:
    return Candidate(
        content="",
        origin=Origin.OBSERVED,
        created_by=f"{BY_RUNNER}{runner}",
        session_id=here.session_id,
        agent=here.agent,
        branch=here.repository.branch,
        commit_id=here.branches.commit_now(),
    )
