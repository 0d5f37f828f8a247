"""`tend`, `audit` and the season of a memory, as a person sees them."""

from __future__ import annotations

from cli_tools import Cli


def rates(cli: Cli) -> dict[str, int]:
    """What `lore audit` counts, by name."""
    return {name: rate["count"] for name, rate in cli.data("audit").items()}


def test_a_clean_store_has_no_rates(cli: Cli) -> None:
    cli.remember("Deploys go out on Tuesdays after the stand-up.")
    assert not any(rates(cli).values())


def test_what_is_said_twice_in_nearly_the_same_words_is_counted(cli: Cli) -> None:
    one = "The billing parser drops orders because of midnight outages in the eastern region"
    cli.remember(one + ".")
    cli.remember("Always " + one + ".")
    assert rates(cli)["near-duplicates"] == 1
    said = cli("audit").out
    assert "near-duplicates" in said
    assert "lore tend" in said
    assert cli.data("tend", "--dry-run")["counts"]["propose"] == 1


def test_a_season_is_shown(cli: Cli) -> None:
    id_ = cli.remember("Merge nothing on Fridays.", "--seasonal", "release-week")["id"]
    assert "release-week" in cli("show", id_).out
    assert cli.data("show", id_)["seasonal"] == "release-week"
    cli("edit", id_, "--seasonal", "")
    assert "season" not in cli("show", id_).out
