"""The launcher: one program whose place in agents' settings never changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from resident_tools import Hook

from loremap.config.settings import save
from loremap.interfaces.hooks.launcher import launcher


def started(
    program: Path, *words: str, payload: bytes = b"{}", path: str = "/usr/bin:/bin"
) -> subprocess.CompletedProcess[bytes]:
    """How the program ended, started as an agent does that passes on next to nothing."""
    return subprocess.run(
        [str(program), *words], input=payload, capture_output=True, env={"PATH": path}, check=False
    )


def test_it_brings_an_event_to_the_resident(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    done = started(launcher(hook.home), "hook", "claude", "Stop")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"claude Stop 2")


def test_it_is_written_once_and_again_where_it_was_changed(home: Path) -> None:
    program = launcher(home)
    assert program == home / "bin" / "lore-agent"
    assert program.stat().st_mode & 0o777 == 0o700
    first, before = program.read_bytes(), program.stat().st_ino
    assert launcher(home).stat().st_ino == before
    program.write_text("#!/bin/sh\nexit 9\n")
    program.chmod(0o755)
    assert launcher(home).read_bytes() == first
    assert program.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("deadline_ms", "heard"), [(150, False), (2_000, True)])
def test_a_hook_waits_as_long_as_the_user_set(
    hook: Hook, echo: Callable[[], int], deadline_ms: int, heard: bool
) -> None:
    save(hook.home / "config.toml", "inject.deadline_ms", deadline_ms)
    echo()
    program = launcher(hook.home)
    said = b"sleep 0.6"
    assert (started(program, "hook", "claude", "Stop", payload=said).stdout != b"") is heard


def test_a_home_with_odd_signs_works(tmp_path: Path) -> None:
    home = tmp_path / 'it\'s a "home" with $signs'
    done = started(launcher(home), "hook", "gemini", "SessionEnd")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")
    assert len(list((home / "spool").glob("*.json"))) == 1
    from resident_tools import wait_for

    from loremap.interfaces.resident import reach
    from loremap.interfaces.resident.places import holder, run_folder

    wait_for(lambda: holder(run_folder(home)) is not None)
    reach.stop(home)


def test_what_a_resident_needs_is_known_without_the_agents_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_CACHE", "/the/models' place")
    program = launcher(home)
    program.write_text(
        program.read_text().replace(
            'exec "$python"', 'printf "%s" "$LOREMAP_CACHE"; exit; "$python"'
        )
    )
    assert started(program, "hook", "claude").stdout == b"/the/models' place"


@pytest.mark.parametrize(
    ("words", "code"), [(("hook", "claude", "Stop"), 0), (("mcp", "claude"), 1)]
)
def test_where_loremap_is_gone_hooks_are_silent_and_mcp_says_so(
    home: Path, words: tuple[str, ...], code: int
) -> None:
    program = launcher(home)
    program.write_text(program.read_text().replace("python=", "python=/nowhere"))
    done = started(program, *words, payload=b"x" * 1_000_000)
    assert (done.returncode, done.stdout) == (code, b"")
    assert (b"no longer installed" in done.stderr) is (words[0] == "mcp")


def test_where_its_python_is_gone_lore_on_the_path_takes_over(home: Path, tmp_path: Path) -> None:
    program = launcher(home)
    program.write_text(program.read_text().replace("python=", "python=/nowhere"))
    other = tmp_path / "lore"
    other.write_text('#!/bin/sh\necho "$LOREMAP_HOME" "$@"\n')
    other.chmod(0o755)
    done = started(program, "hook", "claude", path=f"{tmp_path}{os.pathsep}/usr/bin:/bin")
    assert done.stdout.decode() == f"{home} hook claude\n"
