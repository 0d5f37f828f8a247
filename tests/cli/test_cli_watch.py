"""`lore last` and `lore metrics`, as a person and as a program use them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from cli_tools import LORE, Cli, Terminal

import loremap
from loremap.model.clock import new_id, short_id
from loremap.model.session import Injection, Session, Tier
from loremap.storage import injections, sessions


def given(
    folder: Path,
    *memory_ids: str | None,
    session: str = "s1",
    held_out: bool = False,
    why: str = "words fit",
    tier: Tier = Tier.TASK,
) -> None:
    """Put memories into a session, as the memory agent notes it."""
    with loremap.open(folder) as lore:
        lore.init()
        now = datetime.now(UTC)
        rows = [
            Injection(
                id=new_id(),
                at=now,
                session_id=session,
                project_id=lore.project_id,
                client="claude",
                moment="prompt",
                tier=tier,
                memory_id=id_,
                tokens=21,
                why=why,
                score=0.71,
            )
            for id_ in memory_ids
        ]
        known = Session(
            id=session,
            client="claude",
            created_at=now,
            project_id=lore.project_id,
            held_out=held_out,
        )
        with lore.store.append() as conn:
            sessions.upsert(conn, known)
            injections.put(conn, rows)


def rejected(folder: Path, session: str = "s1") -> set[str]:
    with loremap.open(folder) as lore, lore.store.read() as conn:
        return injections.rejected_in(conn, session)


def confidence(cli: Cli, id_: str) -> float:
    return float(cli.data("show", id_)["confidence"])


@pytest.fixture
def port(cli: Cli) -> str:
    """A memory that was just injected."""
    id_ = str(cli.remember("The dev server listens on port 4711")["id"])
    given(cli.folder, id_)
    return id_


def test_what_was_just_injected_and_why(cli: Cli, port: str) -> None:
    (one,) = cli.data("last")["injected"]
    assert (one["id"], one["why"], one["score"]) == (port, "words fit", 0.71)
    assert (one["tokens"], one["tier"], one["client"]) == (21, "task", "claude")
    said = cli("last").out
    for part in (short_id(port), "port 4711", "words fit", "0.71", "21 tokens", "claude"):
        assert part in said


def test_one_reason_is_said_once(cli: Cli) -> None:
    ids = [cli.remember(f"Port {port} is taken")["id"] for port in (4000, 5000, 6000)]
    given(cli.folder, *ids, None, why="always told", tier=Tier.ALWAYS)
    said = cli("last").out.splitlines()
    assert sum(line.count("always told") for line in said) == 2, "once, and as the module's name"
    assert [line.split()[1] for line in said if "is taken" in line] == [
        short_id(id_) for id_ in ids
    ]


def test_only_the_last_moment_unless_more_is_asked_for(cli: Cli, port: str) -> None:
    other = str(cli.remember("Deploys happen on Tuesdays")["id"])
    given(cli.folder, other, session="s2")
    assert [one["id"] for one in cli.data("last")["injected"]] == [other]
    assert [one["id"] for one in cli.data("last", "--all", "5")["injected"]] == [other, port]
    assert len(cli.data("last", "--all", "1")["injected"]) == 1


def test_a_module_and_what_was_forgotten_since_are_told(cli: Cli, port: str) -> None:
    given(cli.folder, None, session="s2", why="module auth")
    assert "module auth" in cli("last").out
    cli("forget", port, "--now", "--yes")
    given(cli.folder, "0" * 32, session="s3")
    assert "(forgotten)" in cli("last").out


def test_a_rejection_counts_and_can_be_taken_back(cli: Cli, port: str) -> None:
    before = confidence(cli, port)
    ran = cli("last", "--reject", port[-6:])
    assert ran.code == 0
    assert f"lore last --unreject {short_id(port)}" in ran.out
    assert rejected(cli.folder) == {port}
    assert confidence(cli, port) == pytest.approx(before - 0.1)
    cli("last", "--reject", port)
    assert confidence(cli, port) == pytest.approx(before - 0.1), "rejected once, counted once"
    assert cli.data("last")["injected"][0]["rejected"]
    assert cli("last", "--unreject", port[-6:]).code == 0
    assert rejected(cli.folder) == set()
    assert confidence(cli, port) == pytest.approx(before)
    assert cli("last", "--unreject", port).code == 2, "there is nothing left to take back"


def test_what_was_not_injected_cannot_be_rejected(cli: Cli, port: str) -> None:
    other = str(cli.remember("Deploys happen on Tuesdays")["id"])
    ran = cli("last", "--reject", other)
    assert (ran.code, rejected(cli.folder)) == (2, set())
    assert "was injected here lately" in ran.err


def test_nothing_yet_says_why(cli: Cli) -> None:
    assert "no agent has worked in this folder" in cli("last").out
    cli.remember("Deploys happen on Tuesdays")
    assert "no session of an agent was seen" in cli("last").out
    given(cli.folder, session="s1")
    assert "nothing fitted in the last session (claude)" in cli("last").out
    given(cli.folder, session="s2", held_out=True)
    assert "held out" in cli("last").out
    cli("off", "--project")
    assert "lore on --project" in cli("last").out
    cli("off")
    assert "Loremap is off" in cli.data("last")["why_nothing"]


def test_one_key_rejects(cli: Cli, port: str) -> None:
    with Terminal(*LORE, "last", folder=cli.folder) as terminal:
        terminal.until("q quit")
        terminal.press("1")
        terminal.until("Take it back: lore last --unreject")
        terminal.until("q quit")
        terminal.press("q")
        assert terminal.end() == 0
    assert rejected(cli.folder) == {port}


def test_one_key_rejects_all_and_another_forgets(cli: Cli, port: str) -> None:
    other = str(cli.remember("Deploys happen on Tuesdays")["id"])
    given(cli.folder, port, other, session="s2")
    with Terminal(*LORE, "last", folder=cli.folder) as terminal:
        terminal.until("1-2 reject")
        terminal.press("r")
        terminal.until(short_id(other))
        terminal.until("q quit")
        terminal.press("f")
        terminal.until("Which one?")
        terminal.press("2")
        terminal.until("lore restore")
        terminal.until("q quit")
        terminal.press("q")
        assert terminal.end() == 0
    assert rejected(cli.folder, "s2") == {port, other}
    assert cli.listed() == ["The dev server listens on port 4711"]


def test_metrics_of_a_project_say_what_is_estimated(cli: Cli, port: str) -> None:
    told = cli.data("metrics")
    assert (told["sessions"], told["memories_injected"], told["tokens_injected"]) == (1, 1, 21)
    assert (told["total_memories"], told["module_map_coverage"]) == (1, None)
    assert not told["hold_out"]["enough_sessions"]
    assert told["system"]["search_latency_ms"] is None
    said = cli("metrics").out
    assert "tokens saved (estimated), 21 injected" in said
    assert "Tokens saved are an estimate" in said
    assert "lore config set metrics.hold_out" in said
    given(cli.folder, session="s2", held_out=True)
    said = cli("metrics").out
    assert "too few sessions to tell" in said
    assert "metrics.hold_out" not in said


def test_metrics_of_everything_and_of_a_session(cli: Cli, port: str) -> None:
    every = cli.data("metrics", "--all")
    assert (every["projects"], every["sessions"], every["total_memories"]) == (1, 1, 1)
    assert "embedding_latency_ms" in every
    assert every["hold_out"]["enough_sessions"] is False
    assert "metrics.hold_out" in cli("metrics", "--all").out
    one = cli.data("metrics", "--session", "s1")
    assert (one["session"], one["memories_injected"]) == ("s1", 1)
    assert "Session s1" in cli("metrics", "--session", "s1").out
    assert cli("metrics", "--session", "nobody").code == 2
    assert cli.data("metrics", "--project", "--session", "s1")["project"] == "shop"


def test_metrics_outside_a_project(cli: Cli, tmp_path: Path) -> None:
    assert cli("metrics", "--project").code == 2
    assert cli.data("metrics")["sessions"] == 0
    assert cli("metrics", "--days", "0").code == 2


def test_pins_that_had_to_give_way_are_named(cli: Cli) -> None:
    rules = (
        "Commits are signed",
        "Prices are in cents",
        "The build runs on Debian",
        "Logs are kept for a year",
        "Releases happen on Tuesdays",
        "Fixtures live beside their tests",
        "Dates are stored in UTC",
    )
    ids = [str(cli.remember(rule)["id"]) for rule in rules]
    for id_ in ids[:5]:
        assert "More than" not in cli("pin", id_).out
    assert "More than 5 memories are pinned" in cli("pin", ids[5]).out
    cli("pin", ids[6])
    given(cli.folder, ids[0], tier=Tier.ALWAYS)
    left_out = cli.data("last")["left_out"]
    assert len(left_out) == 2
    assert {one["why"] for one in left_out} == {"5 more important ones are there"}
    assert "no room in the block for" in cli("last").out
    given(cli.folder, ids[0], session="s2")
    assert cli.data("last")["left_out"] == []
