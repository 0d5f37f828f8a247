"""What of a commit's message is sentences, and what its form says."""

from __future__ import annotations

import pytest

from loremap.sessions.commits.evidence import content_of, may_teach
from loremap.sessions.commits.message import parsed

WHY = "The cache is keyed by user, because two tenants may hold the same id."


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (WHY, [WHY]),
        ("The cache is keyed by user, because two\ntenants may hold the same id.", [WHY]),
        (f"{WHY}\n\nSigned-off-by: A <a@b.c>\nCo-authored-by: B <b@b.c>", [WHY]),
        (f"{WHY}\n\nFixes #12, #13\nRefs: ABC-77\nhttps://example.org/x", [WHY]),
        (f"{WHY} As in:\n\n    cache[user.id] = value\n\n```\nmore(code)\n```", [WHY]),
        (f"{WHY}\n\n# ------------------------ >8 ------------------------\ndiff --git a b", [WHY]),
        (f"{WHY}\n\n> quoted by mail and said by nobody here", [WHY]),
        (f"{WHY}\n\nfor more information, see https://ci.example.org", [WHY]),
        (f"{WHY}\n\nGenerated with [A Tool](https://example.org)", [WHY]),
        ("(cherry picked from commit 1234567890)", []),
        ("This reverts commit 0123456789abcdef0123456789abcdef01234567.", []),
        ("", []),
    ],
)
def test_only_sentences_are_kept(body: str, kept: list[str]) -> None:
    assert [one.text for one in parsed(f"Key the cache\n\n{body}").paragraphs] == kept


def test_items_of_a_list_stand_for_themselves() -> None:
    squashed = parsed("Add a cache (#12)\n\n* Add a cache\n\n* fix the linter errors\n\n* " + WHY)
    assert squashed.subject == "Add a cache"
    assert [one.text for one in squashed.paragraphs if one.is_item] == [
        "fix the linter errors",
        WHY,
    ]
    assert content_of(squashed) == f"Add a cache. {WHY}"


@pytest.mark.parametrize(
    ("message", "kind", "breaking", "is_fix"),
    [
        ("feat(api)!: drop the v1 routes", "feat", "feat(api)!: drop the v1 routes", False),
        (
            "fix: a\n\nBREAKING CHANGE: ids are text\nnow.\n\nMore.",
            "fix",
            "ids are text now.",
            True,
        ),
        ("tsdb: fix a leak", "tsdb", "", True),
        ("Fixed #12 -- A leak", "", "", True),
        ("[NET-1] Fix a leak", "", "", True),
        ("Fixtures are shared", "", "", False),
    ],
)
def test_its_form_says_what_it_is(message: str, kind: str, breaking: str, is_fix: bool) -> None:
    told = parsed(message)
    assert (told.type, told.breaking, told.is_fix) == (kind, breaking, is_fix)


@pytest.mark.parametrize(
    ("message", "ids", "subject"),
    [
        ('Revert "Add a cache"\n\nThis reverts commit 0123456789.', ("0123456789",), "Add a cache"),
        ('Revert "Add a cache (#12)" (#14)', (), "Add a cache"),
        ("Take it back\n\nThis reverts commit 0123456789, it leaks.", ("0123456789",), ""),
        ("Revert to the old icon", (), ""),
        ("Add a cache\n\nAll of it.\n\nThis reverts commit 0123456789.", (), ""),
    ],
)
def test_a_revert_says_what_it_takes_back(message: str, ids: tuple[str, ...], subject: str) -> None:
    told = parsed(message)
    assert (told.reverts, told.reverted_subject) == (ids, subject)
    assert told.is_revert is bool(ids or subject)


@pytest.mark.parametrize(
    "message",
    [
        "Bump redis from 3 to 9\n\nBumps redis from 3 to 9.\n- Release notes\n- Changelog",
        "Release 1.2.3",
        "wip",
        "ABC-123",
        "perf: simplify retry",
        "docs: say why\n\n" + WHY,
        "chore: release\n\n" + WHY,
        "Merge branch 'main' into topic",
        "Apply suggestions from code review",
        'Revert "Add a cache"\n\nThis reverts commit 0123456789.',
    ],
)
def test_what_says_no_more_than_what_was_done_teaches_nothing(message: str) -> None:
    assert not may_teach(parsed(message))
