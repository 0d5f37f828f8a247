"""`lore facts`, `fact` and `entities`, as a person uses them."""

from __future__ import annotations

from cli_tools import Cli

from loremap.model.clock import short_id


def test_a_fact_is_stated_shown_replaced_and_withdrawn(cli: Cli) -> None:
    first = cli.data("fact", "add", "billing", "owned by", "Red Team")
    assert (first["subject"], first["predicate"], first["object"]) == (
        "billing", "owned_by", "Red Team",
    )  # fmt: skip
    second = cli.data("fact", "add", "billing", "owned_by", "Blue Team")
    assert [one["id"] for one in cli.data("facts", "billing")["facts"]] == [second["id"]]
    statuses = {one["object"]: one["status"] for one in cli.data("facts", "--all")["facts"]}
    assert statuses == {"Red Team": "superseded", "Blue Team": "confirmed"}
    assert "billing owned_by Blue Team" in cli("fact", "show", short_id(second["id"])).out
    assert len(cli.data("fact", "history", second["id"])["facts"]) == 2
    gone = cli.data("fact", "retract", second["id"])
    assert [one["object"] for one in gone["holds_again"]] == ["Red Team"]
    cli("undo", "--yes")
    assert [one["object"] for one in cli.data("facts")["facts"]] == ["Blue Team"]


def test_facts_are_read_from_memories_on_request(cli: Cli) -> None:
    id_ = cli.remember("Checkout Service uses Redis.")["id"]
    assert "Nothing is known yet" in cli("facts").out
    assert cli.data("fact", "learn")["facts"] == 1
    [fact] = cli.data("facts", "checkout", "service")["facts"]
    assert cli.data("fact", "show", fact["id"])["said_by"][0]["id"] == id_
    names = {one["name"]: one["mentions"] for one in cli.data("entities")["entities"]}
    assert names["Checkout Service"] == 1
    assert "Checkout Service" in cli("entities").out
    told = cli("recall", "What does the Checkout Service use?", "--recipe", "facts").out
    assert "### CONTEXT: Checkout Service\n- uses: Redis" in told


def test_what_is_unknown_is_said(cli: Cli) -> None:
    assert "Nothing is known by the name" in cli("facts", "nomad").err
    assert "There is no fact" in cli("fact", "show", "abcdef").err
    assert "no predicate" in cli("fact", "add", "billing", "???", "x").err
