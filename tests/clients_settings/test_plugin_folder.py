"""The plugin directory agrees with the program, and its finder finds it or keeps silent."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from loremap.clients import plugin
from loremap.model.version import VERSION

FOLDER = Path(__file__).parents[2] / "plugin"
INNER = FOLDER / "loremap"
FINDER = INNER / "bin" / "lore-agent"


def read(path: Path) -> dict[str, object]:
    value = json.loads(path.read_text())
    assert isinstance(value, dict)
    return value


def test_the_versions_are_those_of_the_program() -> None:
    listed = json.loads((FOLDER / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    assert [(each["name"], each["version"]) for each in listed] == [("loremap", VERSION)]
    assert (FOLDER / listed[0]["source"]).resolve() == INNER
    manifest = read(INNER / ".claude-plugin" / "plugin.json")
    assert (manifest["name"], manifest["version"]) == ("loremap", VERSION)


def test_its_hooks_and_commands_are_those_of_the_program() -> None:
    assert read(INNER / "hooks" / "hooks.json") == plugin.hooks()
    found = {
        path.relative_to(INNER / "skills").as_posix(): path.read_text()
        for path in (INNER / "skills").rglob("*")
        if path.is_file() and not path.is_relative_to(INNER / "skills" / "loremap")
    }
    assert found == plugin.skills()
    assert len(found) == 8


def test_its_hooks_and_its_server_find_loremap_alike() -> None:
    assert FINDER.read_text() == plugin.FINDER
    assert read(INNER / ".mcp.json") == plugin.servers()
    assert "${" not in plugin.FINDER


def started(words: list[str], home: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    """A program of the plugin, as a client starts it in `home`."""
    return subprocess.run(
        words,
        input=b"given",
        capture_output=True,
        check=False,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", **env},
        timeout=30,
    )


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def server() -> list[str]:
    """The command line of the plugin's MCP server."""
    value = json.loads((INNER / ".mcp.json").read_text())["mcpServers"]["loremap"]
    return [value["command"], *value["args"]]


def launcher(home: Path, name: str) -> None:
    """A launcher below `home` that says its name, its words and what it is given."""
    put(home / "bin" / "lore-agent", f'#!/bin/sh\nprintf "{name}|%s" "$*|"\ncat\n')


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ((), "default"),
        (("XDG_DATA_HOME",), "XDG_DATA_HOME"),
        (("LOREMAP_HOME",), "LOREMAP_HOME"),
        (("LOREMAP_HOME", "XDG_DATA_HOME"), "LOREMAP_HOME"),
    ],
)
def test_the_launcher_is_found(tmp_path: Path, variables: tuple[str, ...], found: str) -> None:
    launcher(tmp_path / "LOREMAP_HOME", "LOREMAP_HOME")
    launcher(tmp_path / "XDG_DATA_HOME" / "loremap", "XDG_DATA_HOME")
    launcher(tmp_path / ".local" / "share" / "loremap", "default")
    env = {name: str(tmp_path / name) for name in variables}
    hook = started([str(FINDER), "hook", "claude", "Stop"], tmp_path, **env)
    assert (hook.returncode, hook.stdout) == (0, f"{found}|hook claude Stop|given".encode())
    mcp = started(server(), tmp_path, **env)
    assert (mcp.returncode, mcp.stdout) == (0, f"{found}|mcp|given".encode())


@pytest.mark.parametrize("variable", ["LOREMAP_HOME", "XDG_DATA_HOME"])
def test_the_launcher_of_another_home_is_not_started(tmp_path: Path, variable: str) -> None:
    launcher(tmp_path / ".local" / "share" / "loremap", "default")
    env = {variable: str(tmp_path / "chosen")}
    hook = started([str(FINDER), "hook", "claude", "Stop"], tmp_path, **env)
    assert (hook.returncode, hook.stdout) == (0, b"")
    assert started(server(), tmp_path, **env).returncode == 1


def test_without_a_launcher_the_command_is_started(tmp_path: Path) -> None:
    put(tmp_path / "bin" / "lore", '#!/bin/sh\nprintf "lore|%s|" "$@"\n')
    path = f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    hook = started([str(FINDER), "hook", "claude", "Stop"], tmp_path, PATH=path)
    assert (hook.returncode, hook.stdout) == (0, b"lore|hook|lore|claude|lore|Stop|")
    assert started(server(), tmp_path, PATH=path).stdout == b"lore|mcp|"


def test_without_loremap_hooks_are_silent_and_the_server_fails(tmp_path: Path) -> None:
    hook = started([str(FINDER), "hook", "claude", "Stop"], tmp_path)
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, b"", b"")
    assert started(server(), tmp_path).returncode != 0
    assert b"not installed" in started([str(FINDER), "mcp"], tmp_path).stderr


def test_the_finder_may_be_started() -> None:
    assert FINDER.stat().st_mode & stat.S_IXUSR
