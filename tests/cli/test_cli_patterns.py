"""`patterns`: what happens again and again, listed and forgotten."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cli_tools import Cli

from loremap import app
from loremap.model.pattern import PatternType, Sighting
from loremap.storage import pattern_sightings

AT = datetime(2026, 5, 4, 9, tzinfo=UTC)
ERROR = "ModuleNotFoundError: No module named 'redis.client'"


def pair(first: str, second: str) -> Sighting:
    files = (first, second)
    return Sighting(
        type=PatternType.CO_EDIT, about=files, data={"files": list(files)}, files=files,
        supports=2, first=AT, last=AT,
    )  # fmt: skip


def fix() -> Sighting:
    data = {"command": "pytest", "error": ERROR, "fix": "`redis`", "cause": "", "files": []}
    return Sighting(
        type=PatternType.ERROR_FIX, about=("e",), data=data, against=1, first=AT, last=AT
    )


@pytest.fixture
def worked(cli: Cli) -> Cli:
    """A project in which two sessions showed patterns."""
    with app.open(cli.folder) as lore:
        lore.init()
        assert lore.project_id is not None
        for session, found in (
            ("s1", [pair("a.py", "b.py"), fix()]),
            ("s2", [pair("a.py", "b.py")]),
        ):
            with lore.store.append() as conn:
                pattern_sightings.put(
                    conn, lore.project_id, session, found, client="claude", now=AT
                )
    return cli


def test_patterns_are_listed_with_what_was_seen_of_them(worked: Cli) -> None:
    said = worked("patterns").out
    first, second = said.splitlines()[1:3]
    assert "co-edit" in first
    assert "a.py + b.py" in first
    assert all(part in first for part in ("4×", "0.67", "2026-05-04"))
    assert "error-fix" in second
    assert "0.25" in second


def test_patterns_in_json(worked: Cli) -> None:
    pairs, fixes = worked.data("patterns")["patterns"]
    assert pairs.pop("id")
    assert pairs == {
        "type": "co-edit", "data": {"files": ["a.py", "b.py"]}, "confidence": 0.6667,
        "observed_count": 4, "against_count": 0, "sessions": 2, "agents": ["claude"],
        "first_seen": AT.isoformat(), "last_seen": AT.isoformat(), "speaks": True, "memory": None,
    }  # fmt: skip
    assert (fixes["type"], fixes["against_count"], fixes["speaks"]) == ("error-fix", 1, False)


@pytest.mark.parametrize(
    ("asked", "count"),
    [(("--type", "error-fix"), 1), (("--file", "b.py"), 1), (("--file", "c.py"), 0), ((), 2)],
)
def test_some_of_them_are_asked_for(worked: Cli, asked: tuple[str, ...], count: int) -> None:
    assert len(worked.data("patterns", *asked)["patterns"]) == count


def test_a_pattern_is_forgotten_by_a_person(worked: Cli) -> None:
    id_ = worked.data("patterns")["patterns"][0]["id"]
    refused = worked("patterns", "--forget", id_, "--agent", "claude")
    assert (refused.code, "Only a person" in refused.err) == (2, True)
    assert "a.py + b.py" in worked("patterns", "--forget", id_[-8:]).out
    assert [one["type"] for one in worked.data("patterns")["patterns"]] == ["error-fix"]
    gone = worked("patterns", "--forget", id_)
    assert (gone.code, "There is no pattern" in gone.err) == (2, True)


def test_where_nothing_was_seen(cli: Cli) -> None:
    assert "No session has shown anything" in cli("patterns").out
