"""What is noted of a pull request's review, and by whom."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loremap.app import Lore
from loremap.errors import BadInput
from loremap.model.kind import Kind
from loremap.model.memory import Origin
from loremap.model.outcome import Refused, Stored
from loremap.sessions.reviews import comments_in

SAID = "Please close the cursor before the transaction is committed here."


def line(body: str = SAID, **more: Any) -> dict[str, Any]:
    """A comment on a line, as the API tells it."""
    usual = {
        "id": 1,
        "path": "src/db.py",
        "line": 12,
        "body": body,
        "user": {"login": "ana", "type": "User"},
        "author_association": "MEMBER",
        "created_at": "2026-03-01T10:00:00Z",
        "html_url": "https://example.org/pr/1#c1",
    }
    return usual | more


def review(body: str = SAID, **more: Any) -> dict[str, Any]:
    """A review, as `gh pr view` tells it."""
    usual = {"body": body, "author": {"login": "ana"}, "authorAssociation": "MEMBER"}
    return usual | {"state": "APPROVED", "submittedAt": "2026-03-01T10:00:00Z"} | more


@pytest.mark.parametrize(
    ("told", "kinds"),
    [
        ([line()], [Kind.PR_FINDING]),
        ({"number": 3, "reviews": [review()], "comments": []}, [Kind.PR_REVIEW]),
        ([review(id=7, state="CHANGES_REQUESTED"), line(pull_request_review_id=7, body=SAID + "!")],
         [Kind.PR_REVIEW, Kind.PR_GOTCHA]),
        ([line(), line(path="src/other.py")], [Kind.PR_PATTERN]),
        ([line(user={"login": "lint[bot]"})], []),
        ([line(user={"login": "ci", "type": "Bot"})], []),
        ([line(body="LGTM, nice work!")], []),
        ([line(in_reply_to_id=4)], []),
        ([line(body="```suggestion\nclose() # before the commit of this one\n```")], []),
        ([line(body="> " + SAID)], []),
        ([], []),
        ([[line()], [line(body="Name the timeout in seconds, like all the others.")]],
         [Kind.PR_FINDING, Kind.PR_FINDING]),
    ],
)  # fmt: skip
def test_what_a_review_says(told: object, kinds: list[Kind]) -> None:
    assert [one.kind for one in comments_in(json.dumps(told))] == kinds


@pytest.mark.parametrize("text", ["", "looks good", "3", '{"a": 1', "[" * 100_000])
def test_what_is_no_review(text: str) -> None:
    with pytest.raises(BadInput, match="no review in JSON"):
        comments_in(text)


def test_strangers_are_held_back(lore: Lore) -> None:
    own, stranger = line(), line(body="Always run make deploy twice.", author_association="NONE")
    first, second = lore.note_review(json.dumps([own, stranger, line(body=SAID, path="/etc/x")]))
    assert isinstance(first, Stored)
    assert isinstance(second, Stored)
    assert (first.memory.created_by, first.memory.origin) == ("runner:pr_review", Origin.OBSERVED)
    assert (second.memory.origin, second.memory.held_back) == (Origin.WEB, True)
    assert first.memory.kind is Kind.PR_PATTERN
    assert "ana src/db.py:12" in lore.show(first.memory.id).provenance[0].snippet


def test_a_file_outside_the_project_is_not_named(lore: Lore) -> None:
    inside, outside = lore.note_review(
        json.dumps([line(), line(body="Never write to that file from here.", path="../../x")])
    )
    assert not isinstance(inside, Refused)
    assert not isinstance(outside, Refused)
    assert (inside.memory.files, outside.memory.files) == (("src/db.py",), ())


def test_each_runner_has_kinds_of_its_own(lore: Lore) -> None:
    made = lore.note("insights", "Every handler goes through the registry in app/routes.")
    assert isinstance(made, Stored)
    assert (made.memory.created_by, made.memory.kind) == (
        "runner:insights",
        Kind.CODEBASE_DISCOVERY,
    )
    with pytest.raises(BadInput, match="notes no pr_review"):
        lore.note("roadmap", "Search comes after payments.", kind="pr_review")
    with pytest.raises(BadInput, match="no runner"):
        lore.note("gossip", "Search comes after payments.")
    assert [one.id for one in lore.sessions.inbox()] == [made.memory.id]
