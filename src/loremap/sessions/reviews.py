"""Reads the comments of a pull request's review, as `gh` prints them, into what may be noted.

Whoever may comment on a pull request may write such a comment: only the words of the project's own
people speak without a person's confirmation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from loremap.errors import BadInput
from loremap.model.kind import Kind

MAX_COMMENTS = 500
_OWN = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
_ASKED_FOR_CHANGES = "CHANGES_REQUESTED"
_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^>.*$", re.MULTILINE)
_MIN_WORDS = 5
"""Fewer are thanks and assent."""
HINT = (
    "Give the output of `gh pr view N --json number,reviews,comments`, "
    "of `gh api repos/OWNER/REPO/pulls/N/comments`, or both in a list."
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One thing that a reviewer said."""

    kind: Kind
    text: str
    author: str
    is_own: bool
    """Whether the author belongs to the project."""
    file: str | None = None
    line: int | None = None
    at: datetime | None = None
    url: str = ""

    @property
    def place(self) -> str:
        """Where it was said, as `file:line`."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


def comments_in(text: str) -> list[Comment]:
    """What the reviewers of a pull request said; raises BadInput where that is no review."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise BadInput("That is no review in JSON; nothing was noted.", hint=HINT) from fault
    rows = list(_rows(told))
    if not rows and not isinstance(told, list | Mapping):
        raise BadInput("That is no review in JSON; nothing was noted.", hint=HINT)
    asked = {row.get("id") for row in rows if row.get("state") == _ASKED_FOR_CHANGES}
    found = [made for row in rows[:MAX_COMMENTS] if (made := _comment(row, asked)) is not None]
    return _patterns(found)


def _rows(told: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(told, Sequence) and not isinstance(told, str):
        for one in told:
            yield from _rows(one)
    elif isinstance(told, Mapping):
        inner = [told[name] for name in ("reviews", "comments") if name in told]
        if inner:
            yield from _rows(inner)
        elif isinstance(told.get("body"), str):
            yield told


def _comment(row: Mapping[str, Any], asked: set[object]) -> Comment | None:
    """A row as what was said; None for a bot's words, for thanks, and for what answers another."""
    user = row.get("user") or row.get("author") or {}
    author = str(user.get("login", "")) if isinstance(user, Mapping) else ""
    is_bot = author.endswith("[bot]") or (isinstance(user, Mapping) and user.get("type") == "Bot")
    text = _QUOTED.sub("", _BLOCK.sub("", str(row["body"]))).strip()
    if is_bot or row.get("in_reply_to_id") or len(text.split()) < _MIN_WORDS:
        return None
    path, line = row.get("path"), row.get("line") or row.get("original_line")
    association = row.get("author_association") or row.get("authorAssociation")
    return Comment(
        kind=_kind(row, asked),
        text=text,
        author=author,
        is_own=association in _OWN,
        file=path if isinstance(path, str) else None,
        line=line if isinstance(line, int) else None,
        at=_time(row.get("created_at") or row.get("submittedAt") or row.get("createdAt")),
        url=str(row.get("html_url") or row.get("url") or ""),
    )


def _kind(row: Mapping[str, Any], asked: set[object]) -> Kind:
    if not isinstance(row.get("path"), str):
        return Kind.PR_REVIEW
    review = row.get("pull_request_review_id")
    return Kind.PR_GOTCHA if review is not None and review in asked else Kind.PR_FINDING


def _patterns(found: Sequence[Comment]) -> list[Comment]:
    """What was said of several places is a pattern, and said once."""
    said = Counter(_same(one) for one in found if one.file is not None)
    once: dict[str, Comment] = {}
    for one in found:
        repeated = one.file is not None and said[_same(one)] > 1
        kept = replace(one, kind=Kind.PR_PATTERN) if repeated else one
        once.setdefault(_same(one), kept)
    return list(once.values())


def _same(one: Comment) -> str:
    return " ".join(one.text.casefold().split())


def _time(said: object) -> datetime | None:
    try:
        made = datetime.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        return None
    return None if made is None or made.tzinfo is None else made
