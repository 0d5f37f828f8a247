"""What is special about a client stands in its own file: nothing else knows one by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import loremap
from loremap.clients.registry import CLIENTS, NAMES

ROOT = Path(__file__).parents[2]
PACKAGE = Path(loremap.__file__).parent
OWN = frozenset(f"clients/{name}.py" for name in NAMES)
EXEMPT = {
    "clients/registry.py": "one line per client",
    "interfaces/hooks/known.py": "generated: the hook's process can load no file of a client",
}
IMPORTS = {"clients/plugin.py": "one plugin in one client's format, which others install"}


def _files() -> Iterator[tuple[str, ast.Module]]:
    for file in PACKAGE.rglob("*.py"):
        yield file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text("utf-8"))


def test_no_other_file_names_a_client() -> None:
    named = [
        f"{file}:{node.lineno} {node.value}"
        for file, tree in _files()
        if file not in OWN and file not in EXEMPT
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]
    assert named == []


def test_no_other_file_loads_that_of_a_client() -> None:
    loaded = [
        f"{file}:{node.lineno}"
        for file, tree in _files()
        if file not in OWN and file not in IMPORTS
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and _is_of_client(node)
    ]
    assert loaded == []


def _is_of_client(node: ast.ImportFrom) -> bool:
    if node.module == "loremap.clients":
        return any(each.name in NAMES for each in node.names)
    return (node.module or "").removeprefix("loremap.clients.") in NAMES


def test_a_file_builds_the_client_of_its_name() -> None:
    assert {name: client.name for name, client in CLIENTS.items()} == {name: name for name in NAMES}
    assert len({client.title for client in CLIENTS.values()}) == len(NAMES)


def test_experimental_are_those_that_no_test_runs() -> None:
    source = (ROOT / "tests/real_clients/clients.py").read_text("utf-8")
    listed = re.findall(r'^    "(\w+)": \w+\("\1"\),$', source, re.MULTILINE)
    assert listed
    assert [name for name, client in CLIENTS.items() if not client.experimental] == listed


def test_the_readme_says_which_are_experimental() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "README.md").read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    told = {cells[1].strip("`"): "experimental" in cells[2] for cells in rows if len(cells) == 3}
    assert {name: told.get(name) for name in NAMES} == {
        name: client.experimental for name, client in CLIENTS.items()
    }
