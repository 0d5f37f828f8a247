"""Sixty secrets told to a living resident, by every way in, are in no byte that is kept: of a plain
store and of an encrypted one, whose rows are read with its key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from resident_tools import Hook, wait_for

import loremap
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import RunFolder
from loremap.storage.sqlite.connect import is_encrypted
from told_secrets import Told, told

LEAST_EVENTS = 20


def lore(folder: Path, *words: str) -> str:
    """What a command prints; with a resident running it is asked."""
    run = [sys.executable, "-m", "loremap", *words]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def prompted(hook: Hook, folder: Path, at: int, one: Told) -> None:
    event = {"session_id": f"s{at}", "cwd": str(folder), "hook_event_name": "UserPromptSubmit"}
    assert hook({**event, "prompt": f"{one.text}\nuse {one.secret}"}, "claude").code == 0


def called(hook: Hook, folder: Path, at: int, one: Told) -> None:
    event = {"session_id": f"s{at}", "cwd": str(folder), "hook_event_name": "PostToolUse"}
    call = {
        "tool_name": "Bash",
        "tool_use_id": f"toolu_{at}",
        "tool_input": {"command": f"echo {one.secret}", "description": one.text},
        "tool_response": {"stdout": f"wrote {one.secret}", "stderr": ""},
    }
    assert hook({**event, **call}, "claude", "PostToolUse").code == 0


def files_of(*folders: Path) -> bytes:
    """All bytes of all files, those of databases, logs, backups and references among them."""
    found = {file for folder in folders for file in folder.rglob("*") if file.is_file()}
    return b"\0".join(file.read_bytes() for file in found)


def rows_of(folder: Path) -> bytes:
    """All that the store says to who has its key, its indexes included."""
    with loremap.open(folder) as opened, opened.store.read() as conn:
        names = conn.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = [name for (name,) in names]
        rows = [row for name in tables for row in conn.exec_driver_sql(f'SELECT * FROM "{name}"')]
    return "\0".join(str(value) for row in rows for value in row).encode("utf-8", "replace")


@pytest.mark.parametrize("how", ["--no-encrypt", "--encrypt"])
def test_sixty_secrets_by_every_way_in(
    hook: Hook, home: Path, run: RunFolder, tmp_path: Path, how: str
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    said = told(41)
    ways = [said[at::4] for at in range(4)]
    in_files, prompts, calls, remembered = ways
    rules = "\n".join(f"- {one.text}" for one in in_files)
    (project / "AGENTS.md").write_text(f"# Rules\n\n{rules}\n", "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    lore(project, "init", how, "--no-scan", "--guard", "none", "--keep", "all")
    assert is_encrypted(home / "lore.db") is (how == "--encrypt")
    assert reach.ensure(home, wait_s=20)
    wait_for(lambda: (state := reach.status(home)) and state.ready, seconds=60)
    for at, one in enumerate(prompts):
        prompted(hook, project, at, one)
    for at, one in enumerate(calls):
        called(hook, project, at, one)
    printed = [lore(project, "remember", "--tag", one.secret, "--", one.text) for one in remembered]
    assert lore(project, "backup", "now")
    shown = lore(project, "list", "--limit", "100") + lore(project, "log")
    living = files_of(home, run.path)
    assert reach.stop(home)
    with loremap.open(project) as opened, opened.store.read() as conn:
        events = conn.exec_driver_sql("SELECT count(*) FROM events").scalar_one()
    left = len(list((home / "spool").glob("*.json")))
    assert events + left >= LEAST_EVENTS  # a busy machine's hook leaves a reference
    kept = b"\0".join((living, files_of(home, run.path, tmp_path / "keys"), rows_of(project)))
    kept += "".join((*printed, shown)).encode()
    assert [one for one in said if one.secret.encode() in kept] == []
