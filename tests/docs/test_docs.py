"""README and guide are true: every command runs, and shown output is what the program prints."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from docs.generate import pages

from loremap.interfaces.cli.app import lore
from loremap.interfaces.mcp.catalogue import TOOLS

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_VARYING = (
    (re.compile(r"\b[0-9a-f]{8}\b"), "ID"),
    (re.compile(r"#ID \d{4}-\d\d-\d\d"), "#ID DATE"),
    (re.compile(r"The store is .*"), "The store is PLACE"),
    (re.compile(r"  -?\d+\.\d\d$", re.MULTILINE), "  SCORE"),
)


@pytest.mark.parametrize("name", sorted(pages()))
def test_reference_pages_say_what_the_program_says(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8") == pages()[name], "run `make docs`"


def test_every_command_is_documented_in_the_guide_or_readme() -> None:
    text = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/guide.md"))
    shown = [name for name, command in lore.commands.items() if not command.hidden]
    assert [name for name in shown if f"lore {name}" not in text] == []


def test_every_tool_of_mcp_is_named_in_the_guide() -> None:
    told = (ROOT / "docs/guide.md").read_text("utf-8")
    assert [tool.name for tool in TOOLS if f"`{tool.name}`" not in told] == []


def test_every_test_and_benchmark_that_is_named_is_there() -> None:
    told = (ROOT / "docs/how-it-is-tested.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/.*]+)`", told)
    named += [f"{one.replace('.', '/')}.py" for one in re.findall(r"\b(bench(?:\.\w+)+)", told)]
    assert [one for one in named if not any(ROOT.glob(one))] == []
    assert len(named) > 50


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_the_commands_of_a_page_run_and_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_repository(tmp_path))
    for name, value in _environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    for command, shown in _commands((ROOT / page).read_text("utf-8")):
        ran = CliRunner().invoke(lore, shlex.split(command)[1:])
        assert ran.exit_code == 0, f"{command}\n{ran.output}\n{ran.exception!r}"
        if shown:
            assert _steady(ran.stdout) == _steady(shown), command


def _commands(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for block in _BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
            else:
                command, shown = found[-1]
                found[-1] = (command, f"{shown}{line}\n")
    assert found
    return found


def _steady(output: str) -> str:
    for pattern, word in _VARYING:
        output = pattern.sub(word, output)
    return "\n".join(line.rstrip() for line in output.strip().splitlines())


def _repository(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    shutil.copytree(Path(__file__).parent / "fixtures" / "shop", place)
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    return place


def _environment(tmp_path: Path) -> dict[str, str]:
    return {
        "LOREMAP_HOME": str(tmp_path / "home"),
        "LOREMAP_KEYS": str(tmp_path / "keys"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
