"""How the benchmark of labelled repositories judges a command and a convention."""

from __future__ import annotations

import pytest
from bench.repos.modules import found_as
from bench.repos.run import same_command, says, verdict

LABEL = {"accept": ["pytest <path>"], "wrong": ["tox"], "cwd": "app"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("make  test", "make test", True),
        ("pytest tests/a.py", "pytest <path>", True),
        ("cargo test <name>", "cargo test -p <crate>", False),
        ("make check", "make check VERBOSE=yes", False),
    ],
)
def test_a_placeholder_stands_for_a_word(one: str, other: str, same: bool) -> None:
    assert same_command(one, other) is same


@pytest.mark.parametrize(
    ("line", "folder", "told"),
    [
        ("pytest <file>", "app", "right"),
        ("pytest <file>", "", "other"),
        ("tox", "app", "wrong"),
        ("make test", "app", "other"),
        ("", "", "missing"),
    ],
)
def test_a_command_is_judged_with_its_folder(line: str, folder: str, told: str) -> None:
    assert verdict(line, folder, LABEL) == told


def test_an_offered_convention_holds_most_words_of_the_labelled_one() -> None:
    assert says("Style: never use `any`, ever.", "Never use `any`.")
    assert not says("Use tabs.", "Never use `any` in tests.")


MODULES = {
    "_internal.cli": ["src/_internal/cli/a.py", "src/_internal/cli/b.py"],
    "mcp.client": ["mcp/client/a.java"],
    "mcp.server": ["mcp/server/a.java"],
    "docs": ["docs/"],
    "jv": ["src/jv.c", "src/jv_alloc.c"],
    "shop": ["main.go", "task.go"],
    "web": ["web/a.ts", "core/b.ts", "core/c.ts"],
}


@pytest.mark.parametrize(
    ("name", "paths", "found"),
    [
        ("cli", ["src/_internal/cli"], "_internal.cli"),
        ("mcp", ["mcp"], "mcp"),  # the group that the map shows
        ("documentation", ["docs"], "docs"),
        ("jv", ["src/jv.c"], "jv"),
        ("shop (root package)", ["."], "shop"),
        ("web", ["web"], ""),  # most of its files lie elsewhere
        ("core", ["core"], ""),  # no module is called so
    ],
)
def test_a_labelled_module_is_found_by_name_and_files(
    name: str, paths: list[str], found: str
) -> None:
    assert found_as({"name": name, "paths": paths}, MODULES) == found
