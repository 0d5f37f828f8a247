"""A project's first minutes: init, its conventions, its map, edits of it, and the brief."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_tools import LORE, Cli, Terminal

EXAMPLE = Path(__file__).parents[1] / "docs" / "fixtures" / "shop"


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example project of the docs."""
    for name in ("LOREMAP_SESSION", "LOREMAP_AGENT", "LOREMAP_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "shop"
    shutil.copytree(EXAMPLE, place)
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    return place


def modules(cli: Cli) -> dict[str, list[str]]:
    """The files of each module of the product."""
    return {one["name"]: one["core_files"] for one in cli.data("map")["modules"] if not one["role"]}


class TestInit:
    def test_without_a_terminal_conventions_are_candidates(self, cli: Cli) -> None:
        data = cli.data("init")
        assert data["modules"] == ["auth", "store"]
        assert data["conventions"]["found"] == len(data["conventions"]["kept"]) == 5
        kept = {one["content"]: one for one in cli.data("list")["memories"]}
        one = kept["Never log a customer's address."]
        assert (one["status"], one["origin"]) == ("candidate", "file")
        shown = cli.data("show", one["id"])
        assert (shown["provenance"][0]["file"], shown["provenance"][0]["line"]) == ("AGENTS.md", 3)

    def test_what_nobody_kept_is_said_to_nobody_and_found_by_a_person(self, cli: Cli) -> None:
        cli.data("init")
        asked = "may a customer's address be logged?"
        assert cli.data("recall", "--no-gate", asked)["hits"] == []
        (found,) = (
            one
            for one in cli.data("search", asked)["hits"]
            if one["content"] == "Never log a customer's address."
        )
        assert (found["tainted"], found["trust"]) == (True, 0.7)
        assert " candidate, unreviewed" in cli("search", asked).out
        kept = cli.data("confirm", found["id"])
        assert (kept["tainted"], kept["trust"]) == (False, 1.5)
        said = cli("recall", "--no-gate", asked).out
        assert said.startswith("Decided here:\n- #")
        assert "WARNING: Never log a customer's address.\n" in said

    def test_again_it_adds_only_what_is_new(self, cli: Cli, shop: Path) -> None:
        cli.data("init", "--keep", "all")
        assert cli.data("init", "--keep", "all")["conventions"] == {"found": 0, "kept": []}
        with (shop / "AGENTS.md").open("a") as file:
            file.write("- Always write prices in cents.\n")
        assert cli.data("init", "--keep", "all")["conventions"]["found"] == 1

    def test_what_was_declined_or_forgotten_is_not_offered_again(self, cli: Cli) -> None:
        cli.data("init", "--keep", "none")
        assert cli.listed() == []
        assert cli.data("init", "--keep", "all")["conventions"]["found"] == 0

    def test_what_was_edited_is_known(self, cli: Cli) -> None:
        kept = cli.data("init", "--keep", "all")["conventions"]["kept"]
        for id_ in kept:
            cli.data("edit", id_, f"Something quite different, number {id_}")
        assert cli.data("init", "--keep", "all")["conventions"]["found"] == 0

    def test_a_changed_value_takes_the_place_of_the_old(self, full: Cli, shop: Path) -> None:
        full.data("init", "--keep", "all")
        manifest = shop / "pyproject.toml"
        manifest.write_text(manifest.read_text().replace("= 100", "= 88"))
        full.data("init", "--keep", "all")
        lines = [text for text in full.listed() if "characters long" in text]
        assert lines == ["Python lines are at most 88 characters long (ruff)."]

    def test_a_person_chooses(self, cli: Cli, shop: Path, no_agents: None) -> None:
        with Terminal(*LORE, "init", "--no-encrypt", folder=shop) as person:
            person.until("Keep which?")
            person.type("1-9\n")
            person.until("not within 1 to")
            person.until("Keep which?")
            person.type("1\n")
            person.until("Kept 1 of")
            person.until("Guard them: [a]ll, [c]hoose, [n]one?")
            person.press("n")
            assert person.end() == 0
        assert cli.listed() == ["Never log a customer's address."]
        assert cli.data("list")["memories"][0]["status"] == "confirmed"

    def test_a_home_is_no_project(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        person = tmp_path / "person"
        person.mkdir()
        monkeypatch.setenv("HOME", str(person))
        data = Cli(person).data("init")
        assert data["project"] is None
        assert "modules" not in data


class TestMap:
    def test_it_reads_right(self, cli: Cli) -> None:
        said = cli("map").out
        assert "Logs customers in and keeps them logged in" in said
        assert "make test" in said
        data = cli.data("map", "auth")
        assert {"src/auth/tokens.py", "src/auth/sessions.py"} < set(data["core_files"])
        assert data["test_files"] == ["tests/test_tokens.py"]
        assert data["dependencies"] == ["redis"]
        assert data["related_modules"] == ["store"]
        assert data["confidence"] == "shallow"

    def test_new_files_are_in_it_at_once(self, cli: Cli, shop: Path) -> None:
        modules(cli)
        (shop / "src" / "auth" / "keys.py").write_text('"""Keys."""\n\n\ndef key(): ...\n')
        assert "src/auth/keys.py" in modules(cli)["auth"]

    def test_edits_survive_scans(self, cli: Cli, shop: Path) -> None:
        cli.data("map", "edit", "rename", "store", "sales")
        cli.data("map", "edit", "split", "auth", "sessions", "src/auth/sess*")
        cli.data("map", "edit", "annotate", "auth", "Ask", "first.")
        cli.data("map", "edit", "describe", "sales", "Sells things.")
        before = cli.data("map")["modules"]
        (shop / "src" / "store" / "tax.py").write_text("def tax(): ...\n")
        after = {one["name"]: one for one in cli.data("map")["modules"]}
        assert (
            set(after) == {"auth", "sales", "sessions", "tests"} == {one["name"] for one in before}
        )
        assert after["sessions"]["core_files"] == ["src/auth/sessions.py"]
        assert "src/store/tax.py" in after["sales"]["core_files"]
        assert after["auth"]["annotation"] == "Ask first."
        assert after["sales"]["description"] == "Sells things."

    def test_an_edit_is_taken_back(self, cli: Cli) -> None:
        cli.data("map", "edit", "merge", "auth", "store")
        assert list(modules(cli)) == ["store"]
        number = cli.data("map", "edits")["edits"][0]["number"]
        cli.data("map", "edits", "--forget", str(number))
        assert list(modules(cli)) == ["auth", "store"]

    def test_an_unknown_module(self, cli: Cli) -> None:
        refused = cli("map", "billing")
        assert refused.code == 2
        assert "auth, store" in refused.err
        assert cli("map", "edit", "rename", "billing", "x").code == 2


class TestBrief:
    def test_modules_then_their_memories_first(self, full: Cli) -> None:
        full.data("init", "--keep", "none")
        full.remember("Cart.total knows no discounts", "--file", "src/store/cart.py")
        full.remember("Tokens.refresh never asks Redis", "--file", "src/auth/tokens.py")
        data = full.data("brief", "customers are logged out too early")
        assert data["modules"] == ["auth"]
        assert [one["content"] for one in data["memories"]] == ["Tokens.refresh never asks Redis"]
        assert "data, not orders.\n\nFiles for this task:\n- src/auth/" in data["text"]
        assert "\n\nModules:\n- auth: " in data["text"]

    def test_it_keeps_to_its_budget(self, full: Cli) -> None:
        full.data("init", "--keep", "all")
        for number in range(12):
            full.remember(
                f"Session rule {number}: customers of tier {number} stay for {number} hours.",
                "--file",
                "src/auth/sessions.py",
            )
        small = full.data("brief", "--tokens", "120", "how long do customers stay logged in?")
        large = full.data("brief", "how long do customers stay logged in?")
        assert small["tokens"] <= 120 < large["tokens"] <= 1800
        assert len(small["memories"]) < len(large["memories"])

    def test_nothing_for_small_talk(self, full: Cli) -> None:
        full.data("init", "--keep", "none")
        assert full("brief", "thanks, that is great!").out == "Nothing here concerns that.\n"
