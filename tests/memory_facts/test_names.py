"""How the name of a thing is written when it is told."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.facts.names import Known, Names, is_torn
from loremap.model.entity import EntityKind, entity_key
from loremap.model.map_edits import EditKind

PYPROJECT = """
[project]
name = "Page-Turner"
dependencies = ["click-default-group>=1.2", "SQLAlchemy ; python_version > '3'"]

[tool.poetry.dependencies]
python = "^3.11"
"""
CODE = """
import click_default_group
import yaml_rs

class PageCounter: ...

def cli(): ...
"""


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A scanned project with manifests, modules and names of code."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    folder = tmp_path / "page_turner"
    for path, text in {
        "pyproject.toml": PYPROJECT,
        "web/package.json": json.dumps({"name": "web", "dependencies": {"left-pad": "1"}}),
        "src/page_turner/cli.py": CODE,
        "src/page_turner/known_names.py": "",
        "src/page_turner/Book_Shelf/__init__.py": "",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    with loremap.open(folder) as opened:
        yield opened


def told(lore: Lore) -> list[tuple[str, str, str]]:
    return [(one.subject, one.fact.predicate, one.object) for one in lore.facts.list()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # as the manifest writes it, however the text and the code do
        ("The CLI depends on click-default-group.", ("CLI", "depends_on", "click-default-group")),
        ("The CLI depends on click_default_group.", ("CLI", "depends_on", "click-default-group")),
        ("The CLI uses Click-Default-Group.", ("CLI", "uses", "click-default-group")),
        ("The CLI uses sqlalchemy.", ("CLI", "uses", "SQLAlchemy")),
        ("The CLI uses LeftPad.", ("CLI", "uses", "left-pad")),
        ("We use SQLite.", ("Page-Turner", "uses", "SQLite")),
        # as the file is called
        ("The CLI is configured by SRC/page_turner/Known_Names.py.",
         ("CLI", "configured_by", "src/page_turner/known_names.py")),
        # as the text has it: code knows these by another spelling
        ("The cli uses SQLite.", ("cli", "uses", "SQLite")),
        ("The `cli` tool uses SQLite.", ("cli", "uses", "SQLite")),
        ("The Cli service runs on YAML-rs.", ("Cli", "runs_on", "YAML-rs")),
        ("The page counter uses SQLite.", ("page counter", "uses", "SQLite")),
        ("We use Python.", ("Page-Turner", "uses", "Python")),
    ],
)  # fmt: skip
def test_a_name_is_told_as_it_is_written(lore: Lore, text: str, said: tuple[str, str, str]) -> None:
    lore.code.scan()
    lore.remember(text)
    lore.facts.learn()
    assert told(lore) == [said]


def test_a_module_is_told_by_its_path(lore: Lore) -> None:
    lore.code.scan()
    module = lore.modules.map().modules[0].name
    lore.modules.edit(EditKind.RENAME, module, value="Book_Shelf")
    lore.remember("The CLI depends on Book-Shelf.")
    lore.facts.learn()
    assert told(lore) == [("CLI", "depends_on", "Book_Shelf")]


@pytest.mark.parametrize(
    ("name", "loose", "text", "written"),
    [
        ("click_default_group", True, "click-default-group", "click-default-group"),
        ("cli", True, "the CLI", "CLI"),
        ("cli", True, "CLI service", "CLI"),
        ("cli", True, "the `Cli` tool", "Cli"),
        ("Cache", True, "the caches", "cache"),
        ("pandas", True, "Pandas", "Pandas"),
        ("React", True, "React.js", "React.js"),
        ("click-default-group", False, "Click_Default_Group", "click-default-group"),
    ],
)
def test_who_writes_a_name(name: str, loose: bool, text: str, written: str) -> None:
    known = Known(entity_key(name), name, EntityKind.CONCEPT, loose)
    found = Names({known.key: known}).find(text)
    assert found is not None
    assert (found.key, found.name) == (known.key, written)


def test_the_first_memory_writes_a_name(lore: Lore) -> None:
    lore.code.scan()
    for text in ("The CLI uses Redis.", "The cli uses redis and Kafka.", "KAFKA uses the Cli."):
        lore.remember(text)
    lore.facts.learn()
    assert {name for subject, _, thing in told(lore) for name in (subject, thing)} == {
        "CLI", "Redis", "Kafka"
    }  # fmt: skip


def test_a_name_is_told_anew_when_a_manifest_writes_it(lore: Lore) -> None:
    lore.remember("The API Gateway uses RedBeat.")
    lore.facts.learn()
    assert told(lore) == [("API Gateway", "uses", "RedBeat")]
    manifest = lore.repository.root / "pyproject.toml"
    manifest.write_text(PYPROJECT.replace('"SQL', '"red-beat", "SQL'))
    lore.remember("The API Gateway runs on Kubernetes.")
    lore.facts.learn()
    assert ("API Gateway", "uses", "red-beat") in told(lore)


@pytest.mark.parametrize(
    "text",
    ["ALWAYS", "Never", "**`pkg._internal`", "-tags fast", "I'll", "Acme's", "`tsc", "Tom’s"],
)
def test_what_is_left_of_marks_and_shouted_words_is_no_name(text: str) -> None:
    assert Names().named(text, first=False) is None


@pytest.mark.parametrize(
    ("text", "torn"),
    [("bare `tsc", True), ("interferes with Acme's", True), ("`tsc`", False), ("dark mode", False)],
)
def test_what_was_cut_in_two_is_no_value(text: str, torn: bool) -> None:
    assert is_torn(text) is torn
