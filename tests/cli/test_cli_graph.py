"""`tags`, `clusters`, `similar` and `graph` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from loremap.interfaces.cli.app import lore

PASSWORDS = (
    "Passwords are hashed with argon2id",
    "A password has at least twelve letters",
    "Passwords are never written to the log",
    "Old password hashes are replaced at the next login",
    "A forgotten password is reset by mail",
)
DEPLOYS = (
    "Deploys to production run on Tuesday",
    "Production is deployed by the release job",
    "A deploy to production needs two approvals",
    "After a deploy production is watched for an hour",
    "Deploys to production are announced in the channel",
)
ALONE = ("The printer jams in winter", "Lunch is at noon", "Ducks eat no bread")


@pytest.fixture
def place(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> str:
    ran = CliRunner().invoke(lore, arguments)
    assert ran.exit_code == 0, f"{ran.output}\n{ran.exception!r}"
    return ran.stdout


def data(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def kept(text: str, *more: str) -> str:
    return str(data("remember", text, *more)["id"])


def test_tags_are_listed_described_and_inferred(place: Path) -> None:
    first = kept("Passwords are hashed with argon2id", "-t", "auth", "-f", "src/auth/hash.py")
    kept("Sessions end after an hour", "-f", "src/auth/session.py")
    assert data("tags", "infer")["inferred"] == {"auth": 1, "project:shop": 2, "python": 2}
    assert "signing in" in run("tags", "describe", "auth", "signing in")
    assert "#auth  2 (1 inferred)  signing in" in run("tags")
    assert data("tags")["tags"][1] | {"name": ""} == {
        "name": "", "description": "", "count": 2, "inferred": 2
    }  # fmt: skip
    assert "#python (language)" in run("show", first)
    assert {"tag": "python", "source": "language"} in data("show", first)["inferred_tags"]
    assert len(data("list", "--tag", "auth")["memories"]) == 2


def test_a_neighbourhood_is_drawn_in_three_ways(place: Path) -> None:
    one = kept('Passwords are hashed with "argon2id"', "-t", "auth")
    two = kept("Lunch is at noon", "-t", "auth")
    run("link", one, two, "-r", "depends_on")
    assert f"→ depends_on {two[-8:]}  Lunch is at noon" in run("graph", one)
    found = data("graph", one)
    assert [each["edge"]["kind"] for each in found["below"]] == ["depends_on", "has_tag"]
    drawn = run("graph", one, "--dot")
    assert f'"{one}" -> "{two}" [label="depends_on"];' in drawn
    assert 'label="Passwords are hashed with \\"argon2id\\""' in drawn


def test_what_is_similar_and_which_clusters_there_are(place: Path) -> None:
    one, *_ = [kept(text) for text in PASSWORDS]
    for text in (*DEPLOYS, *ALONE):
        kept(text)
    assert "password" in run("similar", one)
    assert data("similar", one)["similar"][0]["by"] == "vector"
    assert "No clusters yet" in run("clusters")
    found = data("clusters", "--refresh")
    assert found["installed"]
    for each in found["clusters"]:
        assert len(data("clusters", each["id"])["memories"]) == each["members"] >= 3
        assert each["name"] in run("clusters")
    assert found["clusters"]


def test_a_cascade_says_by_which_way_it_came(place: Path) -> None:
    one = kept("Passwords are hashed with argon2id", "-t", "auth")
    kept("Lunch is at the lake on Friday", "-t", "auth")
    said = run("recall", "how are passwords hashed", "-r", "cascade", "--no-gate", "--why")
    assert f"by way of {one[-8:]} has_tag #auth has_tag" in said
