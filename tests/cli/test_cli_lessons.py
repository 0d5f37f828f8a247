"""`wrong`, `tombstones`, `gaps` and `alias`, as a person uses them."""

from __future__ import annotations

import pytest
from cli_tools import Cli

from loremap import app
from loremap.memory import gaps

TEXT = "Deploys go out on Tuesdays after the stand-up."


def test_wrong_lists_what_it_did_and_how_to_take_it_back(cli: Cli) -> None:
    id_ = cli.remember(TEXT)["id"]
    said = cli("wrong", id_, "they", "go", "out", "daily").out
    assert "Withdrawn as wrong" in said
    assert f"lore restore {id_[-8:]}" in said
    assert cli.data("show", id_)["retracted_reason"] == "they go out daily"
    (grave,) = cli.data("tombstones")["tombstones"]
    assert (grave["why"], grave["kind"], grave["in_other_words"]) == (
        "withdrawn as wrong",
        "fact",
        True,
    )
    assert "Tuesdays" not in cli("tombstones").out
    assert cli("wrong", id_).code == 2
    cli("restore", id_)
    assert cli.data("tombstones") == {"tombstones": []}
    assert cli.data("show", id_)["status"] == "confirmed"


def test_without_a_reason_a_person_has_flagged_it(cli: Cli) -> None:
    found = cli.data("wrong", cli.remember(TEXT)["id"])
    assert (found["withdrawn"], found["retracted_reason"]) == (True, "user_flagged")


def test_an_agents_wrong_is_a_vote(cli: Cli) -> None:
    found = cli.data("wrong", cli.remember(TEXT)["id"], "--agent", "claude")
    assert (found["withdrawn"], found["status"], found["unhelpful"]) == (False, "confirmed", 1)


def test_three_votes_take_it_from_agents_and_it_is_still_found(cli: Cli) -> None:
    id_ = cli.remember(TEXT)["id"]
    for _ in range(2):
        assert "said to no agent" not in cli("feedback", id_, "--wrong").out
    assert "said to no agent" in cli("feedback", id_, "--not-helpful").out
    assert "Tuesdays" not in cli("recall", "--no-gate", "deploys tuesdays").out
    assert "voted down" in cli("search", "deploys tuesdays").out


@pytest.mark.parametrize("reference", ["", "none", "00"])
def test_what_is_not_there_is_not_lifted(cli: Cli, reference: str) -> None:
    cli("wrong", cli.remember(TEXT)["id"])
    assert cli("tombstones", "lift", reference).code == 2
    assert cli("gaps", "close", reference).code == 2


def test_a_gap_is_listed_and_closed(cli: Cli) -> None:
    cli.remember(TEXT)
    with app.open(cli.folder) as lore:
        gaps.note(lore, "Which retention period applies to wholesale invoices?")
    (gap,) = cli.data("gaps")["gaps"]
    assert (gap["times"], gap["asked"][:5]) == (1, "Which")
    assert "once" in cli("gaps").out
    assert cli.data("gaps", "close", gap["id"][-8:])["id"] == gap["id"]
    assert cli.data("gaps") == {"gaps": []}
