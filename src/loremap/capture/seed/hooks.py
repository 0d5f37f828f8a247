"""The checks that run before each commit (.pre-commit-config.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.capture.documents.yaml_marks import entries, matching
from loremap.capture.seed.value import Seed, Source, listing
from loremap.model.kind import Kind

_HOUSEKEEPING = re.compile(
    r"check-|trailing-|end-of-file|mixed-line|debug-statements|fix-|name-tests|no-commit|rst-"
    r"|python-(?:check|no|use)|text-unicode|detect-|sp-repo|validate-|destroyed|requirements-txt"
    r"|file-contents|pretty-format|changelogs?-|taplo|ensure-|update-|local-|repo-"
)
_MOST_HOOKS = 10


def pre_commit_seeds(source: Source) -> Iterator[Seed]:
    """The hooks that judge code, housekeeping left out."""
    hooks = matching(entries(source.text), "repos", "*", "hooks", "*", "id")
    named = list(dict.fromkeys(e.value for e in hooks if not _HOUSEKEEPING.match(e.value)))
    if not hooks:
        return
    what = f" (it runs {listing(named[:_MOST_HOOKS])})" if named else ""
    yield Seed(
        text=f"Before committing, run `pre-commit run --all-files`{what}.",
        kind=Kind.PROCEDURE,
        file=source.path,
        line=hooks[0].line,
        tags=("commits", "formatting"),
        importance=0.8,
        about="command:pre-commit run --all-files",
    )
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
