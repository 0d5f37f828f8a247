"""A user's hand on what is remembered: edit, pin, forget, restore, undo, tag, link, settle."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli, rows

from loremap.model.clock import short_id


def test_forget_can_be_taken_back(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays")["id"]
    said = cli("forget", short_id(id_)).out
    assert f"lore restore {short_id(id_)}" in said
    assert "30 days" in said
    assert cli.listed() == []
    assert cli.recalled("when are invoices sent") == []
    assert "forgotten" in cli("list", "--forgotten").out
    assert cli.data("restore", short_id(id_))["deleted_at"] is None
    assert cli.recalled("when are invoices sent") == ["Invoices are sent on Mondays"]


def test_forget_now_leaves_nothing(cli: Cli, home: Path) -> None:
    id_ = cli.remember("Invoices are sent on Mondays", "--tag", "quetzal")["id"]
    cli.data("edit", id_, "Invoices are sent on Tuesdays, says axolotl")
    assert "every byte" not in cli("forget", id_, "--now", "--yes").err
    assert cli("show", id_).code == 2
    assert cli("restore", id_).code == 2
    assert {table: count for table, count in rows(home).items() if count} == {}
    held = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    for word in (b"quetzal", b"axolotl", b"Invoices", b"Mondays"):
        assert word not in held


def test_a_keyword_may_stand_for_an_id(cli: Cli) -> None:
    cli.remember("Invoices are sent on Mondays")
    cli.remember("Refunds are sent on Fridays")
    assert cli.data("pin", "invoices")["pinned"]
    assert cli.listed("--pinned") == ["Invoices are sent on Mondays"]
    assert not cli.data("unpin", "invoices")["pinned"]
    assert cli.data("show", "refunds fridays")["content"] == "Refunds are sent on Fridays"
    assert len(cli.data("forget", "refunds")["forgotten"]) == 1
    assert cli.listed() == ["Invoices are sent on Mondays"]


def test_all_words_of_a_keyword_count(cli: Cli) -> None:
    for text in ("The checkout test is flaky", "The login test is slow"):
        cli.remember(text)
    assert cli.data("show", "flaky test")["content"] == "The checkout test is flaky"
    assert cli("show", "test").code == 2


def test_a_keyword_does_not_mean_what_was_replaced(cli: Cli) -> None:
    cli.remember("The HTTP client times out after 30 seconds")
    new = cli.remember("The HTTP client times out after 60 seconds")
    assert cli.data("pin", "HTTP client")["id"] == new["id"]


@pytest.mark.parametrize("command", ["edit", "history", "confirm", "restore", "tag", "undo"])
def test_elsewhere_only_an_id_will_do(cli: Cli, command: str) -> None:
    cli.remember("Invoices are sent on Mondays")
    more = ("x",) if command in ("edit", "tag") else ()
    assert cli(command, "invoices", *more).code == 2


def test_an_edit_is_found_by_its_new_words_and_can_be_undone(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays", "--tag", "money")["id"]
    edited = cli.data("edit", short_id(id_), "Bills go out each Tuesday", "--kind", "decision")
    assert (edited["content"], edited["kind"], edited["origin"]) == (
        "Bills go out each Tuesday",
        "decision",
        "user_edit",
    )
    assert cli.found("bills tuesday") == ["Bills go out each Tuesday"]
    assert cli.found("invoices") == []
    undone = cli.data("undo", short_id(id_), "--yes")["memories"]
    assert [one["content"] for one in undone] == ["Invoices are sent on Mondays"]
    assert cli.found("invoices") == ["Invoices are sent on Mondays"]
    assert cli.found("bills") == []


def test_an_edit_needs_something_to_change(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays")["id"]
    other = cli.remember("Refunds are sent on Fridays")["id"]
    assert "nothing to change" in cli("edit", id_).err
    assert short_id(other) in cli("edit", id_, "Refunds are sent on Fridays").err
    assert cli.data("edit", id_, "--importance", "0")["importance"] == 0


def test_history_tells_every_version(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays")["id"]
    cli("edit", id_, "Invoices are sent on Tuesdays")
    cli("pin", id_)
    told = cli.data("history", id_)["history"]
    assert [(entry["version"], entry["action"], entry["content"]) for entry in told] == [
        (1, "add", "Invoices are sent on Mondays"),
        (2, "update", "Invoices are sent on Tuesdays"),
        (3, "pin", "Invoices are sent on Tuesdays"),
    ]
    assert "Invoices are sent on Mondays" in cli("history", id_).out


def test_undo_goes_back_one_change_at_a_time(cli: Cli) -> None:
    cli.remember("The HTTP client times out after 30 seconds")
    new = cli.remember("The HTTP client times out after 60 seconds")
    cli("tag", new["id"], "net")
    assert cli.data("undo", "--yes")["memories"][0]["tags"] == []
    assert len(cli.data("undo", "--yes")["memories"]) == 2
    assert cli.listed() == ["The HTTP client times out after 30 seconds"]
    cli("undo", "--yes")
    assert cli.listed() == []
    assert "nothing to undo" in cli("undo", "--yes").err


def test_undo_names_the_act_first_and_waits_for_a_yes(cli: Cli) -> None:
    id_ = cli.remember("The HTTP client times out after 30 seconds")["id"]
    cli("pin", id_)
    asked = cli("undo")
    assert asked.code == 2
    assert f'pinned {short_id(id_)} "The HTTP client times out after 30 seconds"' in asked.err
    assert cli.data("show", id_)["pinned"]
    assert f"pinned {short_id(id_)}" in cli("undo", "--yes").out
    assert not cli.data("show", id_)["pinned"]


def test_what_cannot_be_undone_is_said(cli: Cli) -> None:
    kept = cli.remember("Invoices are sent on Mondays")["id"]
    gone = cli.remember("Refunds are sent on Fridays")["id"]
    refused = cli("forget", gone, "--now")
    assert (refused.code, "permanent" in refused.err) == (2, True)
    assert len(cli.listed()) == 2
    assert cli("forget", gone, "--now", "--yes").code == 0
    said = cli("undo", "--yes")
    assert (said.code, said.err.count(f"erased {short_id(gone)}; that cannot be undone")) == (2, 1)
    assert cli("undo", kept, "--yes").code == 0
    assert cli.listed() == []


def test_what_would_say_the_same_twice_is_not_brought_back(cli: Cli) -> None:
    first = cli.remember("The HTTP client times out after 30 seconds")["id"]
    cli.remember("The HTTP client times out after 60 seconds")
    again = cli.remember("The HTTP client times out after 30 seconds")
    assert again["id"] != first
    for command in ("confirm", "restore"):
        ran = cli(command, first)
        assert (ran.code, short_id(again["id"]) in ran.err) == (2, True)
    assert "no longer speaks" in cli("pin", first).err
    cli("forget", again["id"])
    assert cli.data("confirm", first)["status"] == "confirmed"
    assert short_id(again["id"]) not in cli("list").out


def test_tags_come_and_go(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays", "--tag", "money")["id"]
    assert cli.data("tag", id_, "#mail", "--remove", "money")["tags"] == ["mail"]
    assert cli.listed("--tag", "mail") == ["Invoices are sent on Mondays"]
    assert cli.listed("--tag", "money") == []
    assert cli.recalled("invoices", "--tag", "mail") == ["Invoices are sent on Mondays"]
    assert cli.recalled("invoices", "--tag", "money") == []
    assert cli("tag", id_).code == 2


def test_an_edit_of_what_changed_since_is_refused(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays")["id"]
    cli.data("tag", id_, "mail")
    for act in (["edit", id_, "Sent on Fridays"], ["pin", id_], ["tag", id_, "x"], ["forget", id_]):
        ran = cli(*act, "--if-version", "1")
        assert ran.code == 2
        assert "is at version 2 by now, not 1; nothing was changed." in ran.err
    assert cli.data("show", id_)["tags"] == ["mail"]
    assert cli.data("edit", id_, "Sent on Fridays", "--if-version", "2")["version"] == 3


def test_show_tells_sources_and_counts(cli: Cli) -> None:
    id_ = cli.remember("Invoices are sent on Mondays")["id"]
    cli.remember("Invoices are sent on Mondays")
    cli.data("confirm", id_)
    cli.data("feedback", id_, "--helpful")
    shown = cli.data("show", id_)
    counts = ("uses", "repetitions", "confirmations", "helpful", "unhelpful")
    assert [shown[name] for name in counts] == [0, 1, 1, 1, 0]
    assert (shown["access_count"], shown["strength"]) == (3, 4)
    first = shown["provenance"][0]
    assert (first["actor"], first["agent"]) == ("user", None)
    assert first["commit_id"]
    said = " ".join(cli("show", id_).out.split())
    assert "said again 1, confirmed 1, helpful 1" in said
    assert f"user_stated by user on {first['branch']} at {first['commit_id'][:8]}" in said


def test_links_show_on_both_ends(cli: Cli) -> None:
    one = cli.remember("Invoices are sent on Mondays")["id"]
    two = cli.remember("The mail server is restarted on Mondays")["id"]
    cli.data("link", short_id(one), short_id(two), "--relation", "depends_on", "--weight", "0.5")
    for id_ in (one, two):
        links = cli.data("show", id_)["links"]
        assert links == [{"from": one, "to": two, "relation": "depends_on", "weight": 0.5}]
    assert f"→ depends_on {short_id(two)}" in cli("show", one).out
    cli.data("link", one, two, "--relation", "depends_on", "--remove")
    assert cli.data("show", one)["links"] == []
    assert cli("link", one, two, "--relation", "depends_on", "--remove").code == 2


def test_an_alias_finds_other_words(cli: Cli) -> None:
    cli.remember("The zebra service prints labels")
    asked = ("printer", "--recipe", "lexical")
    assert cli.recalled(*asked) == []
    cli.data("alias", "add", "printer", "zebra")
    assert cli.data("alias")["aliases"] == {"printer": ["zebra"]}
    assert cli.recalled(*asked) == ["The zebra service prints labels"]
    cli.data("alias", "remove", "printer")
    assert cli.recalled(*asked) == []
    assert cli("alias", "remove", "printer").code == 2


def test_confirm_makes_a_candidate_count(cli: Cli) -> None:
    learned = cli.remember("The queue drops messages over 64 KB", "--agent", "bot")
    assert learned["status"] == "candidate"
    assert cli.data("review")["candidates"][0]["id"] == learned["id"]
    confirmed = cli.data("confirm", short_id(learned["id"]))
    assert confirmed["status"] == "confirmed"
    assert confirmed["confidence"] > learned["confidence"]
    assert cli.data("review")["candidates"] == []


SETTLED = {
    "first": ["Retries are capped at 7"],
    "second": ["Retries are capped at 3"],
    "both": ["Retries are capped at 7", "Retries are capped at 3"],
    "neither": [],
}


@pytest.mark.parametrize("keep", SETTLED)
def test_a_conflict_is_settled(cli: Cli, keep: str) -> None:
    cli.remember("Retries are capped at 3", "--pin")
    new = cli("remember", "Retries are capped at 7")
    assert "[⚠ CONFLICT]" in new.out
    assert "[⚠ CONFLICT]" in cli("recall", "--no-gate", "how many retries").out
    conflict = cli.data("conflicts")["conflicts"][0]
    assert (conflict["first"]["content"], conflict["second"]["content"]) == (
        "Retries are capped at 7",
        "Retries are capped at 3",
    )
    cli.data("resolve", short_id(conflict["id"]), keep)
    assert cli.listed() == SETTLED[keep]
    assert cli.data("conflicts")["conflicts"] == []
    assert cli("resolve", conflict["id"], keep).code == 2
    cli("undo", "--yes")
    assert len(cli.listed()) == 2
    assert len(cli.data("conflicts")["conflicts"]) == 1


def test_a_procedure_keeps_its_parts(cli: Cli) -> None:
    stored = cli.data(
        "remember", "--name", "release", "--when", "a version is due", "--step", "make test",
        "--step", "git tag", "--needs", "a clean tree", "--beware", "not on Fridays",
    )  # fmt: skip
    assert stored["kind"] == "procedure"
    assert stored["procedure"] == {
        "name": "release",
        "trigger": "a version is due",
        "steps": ["make test", "git tag"],
        "prerequisites": ["a clean tree"],
        "warnings": ["not on Fridays"],
    }
    assert cli.recalled("how do we release a version") == [stored["content"]]
    shown = cli("show", stored["id"]).out
    assert "2. git tag" in shown
    assert "not on Fridays" in shown


FIRES = {
    "literal": (
        ("--trigger", "push --force", "--on", "command"),
        ("--command", "git push --force"),
        ("--text", "git push --force"),
    ),
    "glob": (
        ("--trigger", "glob:gen/*.py", "--on", "file"),
        ("--file", "gen/models.py"),
        ("--file", "src/models.py"),
    ),
    "regex": (
        ("--trigger", r"regex:rm\s+-rf?\s+\S*data"),
        ("--command", "rm -rf var/data"),
        ("--command", "rm notes"),
    ),
    "file": (("--file", "app.py"), ("--file", "app.py"), ("--file", "other.py")),
}
"""What a warning looks at, what makes it fire, and what does not."""


@pytest.mark.parametrize("kind", FIRES)
def test_a_warning_fires_at_the_point_of_action(cli: Cli, kind: str) -> None:
    given, fires, silent = FIRES[kind]
    id_ = cli.remember("Look twice here", "--kind", "warning", *given)["id"]
    alerts = cli.data("check", *fires)["alerts"]
    assert [(alert["id"], alert["content"]) for alert in alerts] == [(id_, "Look twice here")]
    assert cli.data("check", *silent)["alerts"] == []
    assert cli("check", "--exit-code", *fires).code == 3
    assert cli("check", "--exit-code", *silent) == cli("check", *silent)
    cli("forget", id_)
    assert cli.data("check", *fires)["alerts"] == []


def test_a_memory_says_where_it_came_from(cli: Cli) -> None:
    id_ = cli.remember(
        "The queue drops messages over 64 KB", "--agent", "bot", "--session", "s7",
        "--snippet", "we looked at the broker", "--reason", "seen in its log",
    )["id"]  # fmt: skip
    (entry,) = cli.data("show", id_)["provenance"]
    assert (
        entry
        | {
            "source": "observed",
            "session_id": "s7",
            "snippet": "we looked at the broker",
            "confidence_reason": "seen in its log",
        }
        == entry
    )
    cli.remember("The queue drops messages over 64 KB")
    assert [entry["source"] for entry in cli.data("show", id_)["provenance"]] == [
        "observed",
        "user_stated",
    ]


def test_settings_hold_from_the_next_command_on(cli: Cli, home: Path) -> None:
    for number in range(4):
        cli.remember(f"Shard {number} lives in rack {number * 7}", "--kind", "task_outcome")
    cli.data("config", "set", "recall.limit", "2")
    assert len(cli.recalled("shard rack")) == 2
    assert cli("config", "get", "recall.limit").out == "2\n"
    assert "recall.limit = 2 (set)" in cli("config").out
    cli.data("config", "unset", "recall.limit")
    assert len(cli.recalled("shard rack")) == 4
    cli.data("config", "set", "limits.content_bytes", "64")
    assert cli("remember", "word " * 20).code == 2
    cli.data("config", "set", "forget.grace_days", "7")
    assert "7 days" in cli("forget", "rack 21").out


def test_a_backup_is_put_back(cli: Cli) -> None:
    cli.remember("Invoices are sent on Mondays")
    cli("pin", "invoices")  # the first write of a day that finds memories makes a backup itself
    cli.data("backup", "now")
    cli.remember("Refunds are sent on Fridays")
    assert "Add --yes to confirm it." in cli("backup", "restore", "1").err
    cli.data("backup", "restore", "1", "--yes")
    assert cli.listed() == ["Invoices are sent on Mondays"]
