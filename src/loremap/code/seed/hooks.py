"""What the checks before each commit settle (.pre-commit-config.yaml)."""

from __future__ import annotations

from collections.abc import Iterator

from loremap.code.documents.yaml_marks import entries, matching
from loremap.code.seed.value import Seed, Source


def pre_commit_seeds(source: Source) -> Iterator[Seed]:
    """Which formatter the hooks run, and how messages are checked."""
    hooks = matching(entries(source.text), "repos", "*", "hooks", "*", "id")
    if not hooks:
        return
    for hook, importance in (("ruff-format", 0.79), ("black", 0.7)):
        found = next((e for e in hooks if e.value == hook), None)
        if found is not None:
            yield Seed(
                text=f"Python code is formatted by {hook.replace('-', ' ')}.",
                file=source.path,
                line=found.line,
                tags=("python", "formatting"),
                importance=importance,
                about="python formatter",
            )
    if any(e.value in ("conventional-pre-commit", "commitizen", "commitlint") for e in hooks):
        yield Seed(
            text="Commit messages follow Conventional Commits; a commit hook checks them.",
            file=source.path,
            line=hooks[0].line,
            tags=("commits",),
            importance=0.8,
            about="conventional commits",
        )
