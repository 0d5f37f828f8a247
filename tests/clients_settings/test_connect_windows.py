"""What is written on Windows: lines for the shells its clients use, known again as ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from loremap.clients.registry import CLIENTS
from loremap.clients.settings.edits import OwnFile
from loremap.clients.settings.site import Site, is_our_hook, is_our_server

PLAIN = r"C:\Users\ann\AppData\Local\loremap\bin\lore-agent.cmd"
QUOTED = r"C:\Users\o'neil\AppData\Local\loremap\bin\lore-agent.cmd"
ODD = r"C:\Users\Ann O'Hara (home)\AppData\Local\loremap\bin\lore-agent.cmd"


def site(folder: Path, launcher: str) -> Site:
    """A user of Windows."""
    environ = {"APPDATA": str(folder / "AppData" / "Roaming")}
    return Site(user=folder, launcher=Path(launcher), environ=environ, platform="win32")


@pytest.mark.parametrize("launcher", [PLAIN, QUOTED, ODD])
@pytest.mark.parametrize("client", CLIENTS)
def test_ours_is_known_again_and_goes(tmp_path: Path, client: str, launcher: str) -> None:
    edits = CLIENTS[client].settings.edits(site(tmp_path, launcher))
    assert edits
    for edit in edits:
        made = edit.made(None)
        assert edit.made(made) == made
        assert edit.unmade(made, None, created=True) is None


def lines(client: str, folder: Path, launcher: str) -> list[dict[str, Any]]:
    """The handlers of a client's hooks that are written."""
    found: list[dict[str, Any]] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if is_our_hook(value) and not is_our_server(value):
                found.append(value)
            value = list(value.values())
        if isinstance(value, list):
            for each in value:
                look(each)

    for edit in CLIENTS[client].settings.edits(site(folder, launcher)):
        if edit.file.suffix == ".json":
            look(json.loads(edit.made(None)))
    return found


def powershell(client: str) -> str:
    """The line of a client that runs hooks in PowerShell."""
    return f"if (Test-Path -LiteralPath '{PLAIN}') {{ & '{PLAIN}' hook {client} EVENT }}"


@pytest.mark.parametrize(
    ("client", "launcher", "key", "line"),
    [
        ("claude", PLAIN, "command", f"{PLAIN} hook claude EVENT".replace("\\", "/")),
        ("codex", PLAIN, "command", f"{PLAIN} hook codex EVENT"),
        ("cursor", PLAIN, "command", f"{PLAIN} hook cursor EVENT"),
        ("vscode", PLAIN, "command", f"{PLAIN} hook vscode EVENT"),
        ("vscode", ODD, "command", f'"{ODD}" hook vscode EVENT'),
        ("gemini", PLAIN, "command", powershell("gemini")),
        ("copilot", PLAIN, "powershell", powershell("copilot")),
    ],
)
def test_each_client_gets_a_line_for_its_shell(
    tmp_path: Path, client: str, launcher: str, key: str, line: str
) -> None:
    found = lines(client, tmp_path, launcher)
    assert len(found) > 5
    expected = re.escape(line).replace("EVENT", r"\w+")
    assert all(re.fullmatch(expected, handler[key]) for handler in found)


def test_claude_is_told_the_shell_of_a_line_that_only_one_understands(tmp_path: Path) -> None:
    assert all("shell" not in handler for handler in lines("claude", tmp_path, PLAIN))
    odd = lines("claude", tmp_path, ODD)
    assert {handler["shell"] for handler in odd} == {"powershell"}
    quoted = ODD.replace("'", "''")
    assert all(f"& '{quoted}' hook claude " in handler["command"] for handler in odd)


def test_cline_gets_scripts_of_powershell(tmp_path: Path) -> None:
    edits = CLIENTS["cline"].settings.edits(site(tmp_path, PLAIN))
    scripts = [edit for edit in edits if isinstance(edit, OwnFile)]
    assert scripts
    for script in scripts:
        assert script.file.suffix == ".ps1"
        assert f"& '{PLAIN}' hook cline {script.file.stem} " in script.content
