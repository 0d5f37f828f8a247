"""Ready packs of warnings: asked at `init`, switched on and off, seen and undone as any memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import LORE, Cli

from loremap.model.guard_pack import PACKS
from loremap.model.memory import Trigger
from loremap.safety.patterns import TriggerSet, refusal_for
from terminal_tools import Terminal

DANGEROUS = {
    "force-push": "git push origin +main",
    "force-with-lease": "git push --force-with-lease",
    "recursive-delete": "sudo rm -fr build",
    "drop-tables": "psql -c 'DROP TABLE users'",
    "deploy": "cd infra && terraform apply -auto-approve",
    "publish": "npm --workspace a publish",
}


def on(cli: Cli) -> set[str]:
    """The packs that are on."""
    return {pack["name"] for pack in cli.data("guard")["packs"] if pack["on"]}


def fires(cli: Cli, command: str) -> bool:
    return cli("check", "--exit-code", "--command", command).code == 3


@pytest.mark.parametrize("name", DANGEROUS)
def test_a_pack_speaks_up_at_its_commands(cli: Cli, name: str) -> None:
    assert not fires(cli, DANGEROUS[name])
    cli.data("guard", "on", name)
    assert fires(cli, DANGEROUS[name])
    assert [other for other in DANGEROUS if fires(cli, DANGEROUS[other])] == [name]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("force-push", "git -C shop push origin +main"),
        ("force-push", "git push --mirror backup"),
        ("recursive-delete", "find . -name '*.log' -delete"),
        ("recursive-delete", "git clean -fdx"),
        ("recursive-delete", "rm -fr build"),
        ("recursive-delete", "Remove-Item build -Recurse"),
        ("drop-tables", "psql shop -c 'DROP TABLE orders'"),
        ("drop-tables", "bin/rails db:reset"),
        ("deploy", "kubectl delete pod web-1"),
        ("deploy", "terraform -chdir=infra destroy"),
        ("publish", "docker push registry/shop:1"),
        ("publish", "cargo publish --dry-run=false"),
    ],
)
def test_which_pack_knows_a_command(name: str, command: str) -> None:
    fired = TriggerSet.compile(
        (pack.name, Trigger("literal", each, "command")) for pack in PACKS for each in pack.commands
    ).fired(command=command)
    assert {one.key for one in fired} == {name}


def test_every_pack_can_be_used() -> None:
    assert set(DANGEROUS) == {pack.name for pack in PACKS}
    for pack in PACKS:
        for command in pack.commands:
            trigger = Trigger("literal", command, "command")
            assert refusal_for(trigger) is None
            assert TriggerSet.compile([(1, trigger)]).fired(command=f"cd x && {command} y")


def test_it_is_an_ordinary_memory(cli: Cli) -> None:
    (made,) = cli.data("guard", "on", "force-push")["changed"]
    assert cli.data("guard", "on", "force-push")["changed"] == []
    (listed,) = cli.data("list")["memories"]
    assert (listed["id"], listed["kind"], listed["status"]) == (made, "warning", "confirmed")
    assert cli.data("guard", "off", "all")["changed"] == [made]
    assert on(cli) == set()
    cli("undo", "--yes")
    assert on(cli) == {"force-push"}
    cli("forget", made)
    assert on(cli) == set()
    assert cli.data("guard", "on", "force-push")["changed"]


def test_it_takes_no_room_where_a_session_begins_unless_it_is_pinned(cli: Cli) -> None:
    assert cli("remember", "--kind", "warning", "Ask Mia before a release").code == 0
    assert cli("guard", "on", "deploy").code == 0
    (id_,) = [pack["id"] for pack in cli.data("guard")["packs"] if pack["on"]]
    assert "Ask Mia" in (block := cli("preview", "claude").out)
    assert "production" not in block
    assert cli("pin", id_).code == 0
    assert "production" in cli("preview", "claude").out


def test_init_takes_what_is_named(cli: Cli) -> None:
    assert cli.data("init", "--no-scan")["guarded"] == []
    assert len(cli.data("init", "--no-scan", "--guard", "force-push,publish")["guarded"]) == 2
    assert on(cli) == {"force-push", "publish"}
    assert cli.data("init", "--no-scan", "--guard", "none")["guarded"] == []
    ran = cli("init", "--no-scan", "--guard", "everything")
    assert ran.code == 2
    assert "force-push" in ran.err


def test_a_person_is_asked(cli: Cli, shop: Path, no_agents: None) -> None:
    with Terminal(*LORE, "init", "--no-encrypt", "--no-scan", folder=shop) as person:
        person.until("Guard them: [a]ll, [c]hoose, [n]one?")
        person.press("c")
        for answer in "ynnnny":
            person.until("[Y/n]")
            person.type(f"{answer}\n")
        person.until("2 packs of warnings on")
        assert person.end() == 0
    assert on(cli) == {"force-push", "publish"}
