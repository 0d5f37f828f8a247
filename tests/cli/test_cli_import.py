"""`lore import sessions`, as a person and a script run it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_tools import Cli

import loremap
from loremap.sessions.telling import untold
from past_tools import PastTranscript

SAID = (
    "No, don't do that. We keep amounts in integer cents, because floats lost money last year.",
    "Always run make check before a commit, never pytest directly.",
)
LAST_WEEK = datetime.now(UTC) - timedelta(days=7)

pytestmark = pytest.mark.usefixtures("no_agents")


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The home of the user."""
    return tmp_path / "user"


def past(user: Path, shop: Path, id_: str = "p1", *, days: float = 0) -> PastTranscript:
    told = PastTranscript(user, shop, id_, LAST_WEEK + timedelta(days=days))
    told.typed("Please fix the export of invoices.").said("I round the amounts to two digits.")
    told.used("Edit", {"file_path": str(shop / "a.py"), "old_string": "1", "new_string": "2"})
    for words in SAID:
        told.typed(words).said("Understood.")
        told.used("Edit", {"file_path": str(shop / "a.py"), "old_string": "2", "new_string": "3"})
    return told


def test_what_sessions_taught_waits_in_the_inbox(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    dry = cli.data("import", "sessions", "--dry-run")
    assert dry["sessions"][0]["findings"]
    assert cli.data("inbox")["waiting"] == []
    done = cli.data("import", "sessions")
    (one,) = done["sessions"]
    assert (one["session"], one["client"], one["fate"]) == ("p1", "claude", "learned")
    assert one["findings"] == dry["sessions"][0]["findings"]
    waiting = cli.data("inbox")["waiting"]
    assert cli.data("status")["inbox"] == len(waiting)
    assert f"inbox      {len(waiting)} things learned  → lore inbox" in cli("status").out
    assert {memory["id"] for memory in waiting} == set(one["memories"])
    assert {memory["created_at"][:10] for memory in waiting} == {f"{LAST_WEEK:%Y-%m-%d}"}
    again = cli.data("import", "sessions")
    assert (again["sessions"], again["known"]) == ([], 1)


def test_a_correction_shows_what_it_corrected(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    cli.data("import", "sessions")
    (one,) = (each for each in cli.data("inbox")["waiting"] if each["kind"] == "correction")
    (source,) = cli.data("show", one["id"])["provenance"]
    assert source["rejected"] == "I round the amounts to two digits."
    assert "I round" not in source["snippet"]
    assert "instead of" in cli("show", one["id"]).out


def test_all_that_is_new_can_be_kept_at_once(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    done = cli.data("import", "sessions", "--keep", "all")
    assert done["kept"] == done["sessions"][0]["memories"] != []
    assert cli.data("inbox")["waiting"] == []


def test_it_says_what_it_did(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    told = cli("import", "sessions", "--keep", "none").out
    assert "integer cents" in told
    assert "1 session read" in told
    assert "1 session known already." in cli("import", "sessions").out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--agent", "claude"), 1),
        (("--agent", "codex"), 0),
        (("--since", "3d"), 1),
        (("--since", "2d"), 0),
        (("--agent", "codex", "--agent", "claude"), 1),
    ],
)
def test_only_what_is_asked_for(
    cli: Cli, user: Path, shop: Path, words: tuple[str, ...], found: int
) -> None:
    past(user, shop, days=4.5)
    done = cli.data("import", "sessions", "--dry-run", *words)
    assert len(done["sessions"]) == found


def test_a_mistyped_agent_or_date_is_said(cli: Cli) -> None:
    assert "Did you mean claude?" in cli("import", "sessions", "--agent", "claud").err
    ran = cli("import", "sessions", "--since", "soon")
    assert (ran.code, "is no time; nothing was done" in ran.err) == (2, True)


def test_sessions_of_every_project_go_where_they_belong(
    cli: Cli, user: Path, shop: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    past(user, shop)
    past(user, other, "p2")
    done = cli.data("import", "sessions", "--all-projects")
    assert {(one["session"], one["project"]) for one in done["sessions"]} == {
        ("p1", "shop"),
        ("p2", "other"),
    }
    assert {one["agent"] for one in cli.data("inbox")["waiting"]} == {"claude"}
    assert len(cli.data("inbox")["waiting"]) < len(done["sessions"][0]["memories"]) * 2


def test_nothing_is_imported_where_learning_is_off(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    cli.data("learn", "--off")
    ran = cli("import", "sessions")
    assert (ran.code, "nothing was imported" in ran.err) == (2, True)
    assert cli.data("import", "sessions", "--all-projects")["sessions"] == []


def test_init_says_that_there_are_some(cli: Cli, user: Path, shop: Path) -> None:
    assert "past session" not in cli("init", "--keep", "none", "--no-encrypt").out
    past(user, shop)
    past(user, shop, "p2")
    said = cli("init", "--keep", "none").out
    assert "Found 2 past sessions of Claude Code here: lore import sessions" in said
    cli("import", "sessions")
    assert "past session" not in cli("init", "--keep", "none").out


@pytest.mark.skipif(sys.platform == "win32", reason="no terminal of that kind")
def test_a_person_walks_through_what_is_new_at_the_end(cli: Cli, user: Path, shop: Path) -> None:
    from cli_tools import LORE, Terminal

    past(user, shop)
    with Terminal(*LORE, "import", "sessions", folder=shop) as terminal:
        terminal.until("q quit")
        terminal.press("y")
        terminal.until("kept")
        terminal.press("q")
        terminal.until("left.")
    (kept,) = [one for one in cli.data("list")["memories"] if one["status"] == "confirmed"]
    assert kept["session_id"] == "p1"


def untold_here(shop: Path) -> int:
    """How much was learned here that no person was told of."""
    with loremap.open(shop) as lore:
        return len(untold(lore))


@pytest.mark.skipif(sys.platform == "win32", reason="no terminal of that kind")
def test_what_was_learned_is_told_where_a_person_sees_it(cli: Cli, user: Path, shop: Path) -> None:
    from cli_tools import LORE, Terminal

    past(user, shop)
    cli("import", "sessions", "--keep", "none")
    cli.data("inbox")
    cli("inbox")
    cli("learn", "p1")
    with Terminal(*LORE, "--agent", "claude", "learn", "p1", folder=shop) as terminal:
        terminal.until("Keep or drop it: lore inbox")
        terminal.end()
    learned = untold_here(shop)
    assert learned == len(cli.data("inbox")["waiting"]) > 1
    with Terminal(*LORE, "inbox", folder=shop) as terminal:
        terminal.until("q quit")
        terminal.press("q")
        terminal.until("left.")
        terminal.end()
    assert untold_here(shop) == learned - 1
    with Terminal(*LORE, "learn", "p1", folder=shop) as terminal:
        terminal.until("Keep or drop it: lore inbox")
        terminal.end()
    assert untold_here(shop) == 0


def test_what_cannot_be_read_is_said_in_one_line(cli: Cli, user: Path, shop: Path) -> None:
    past(user, shop)
    broken = user / ".local" / "share" / "opencode" / "opencode.db"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no database at all" * 200)
    ran = cli("import", "sessions", "--keep", "none")
    told = [line for line in ran.out.splitlines() if "cannot be read" in line]
    assert (ran.code, len(told)) == (0, 1)
    assert "left as it is. Make it readable and run this again." in told[0]
    assert "1 session read" in ran.out
