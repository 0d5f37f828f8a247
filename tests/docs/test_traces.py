"""The five ways through the program, as ARCHITECTURE.md draws them: true to a trace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRAWN = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
WAYS = ("remember", "recall", "brief", "prompt", "init")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """Every way with its files and shapes, traced in a process of its own."""
    env = {**os.environ, "LOREMAP_HOME": str(tmp_path_factory.mktemp("home"))}
    done = subprocess.run(
        [sys.executable, "-m", "docs.trace", "--json"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def drawn_files(way: str) -> list[str]:
    """The files that the diagram of a way names; a bare name lies beside the one before it."""
    section = re.search(rf"^{way} {{2,}}.*?(?=^\w+ {{2,}}|^```)", DRAWN, re.M | re.S)
    assert section is not None, way
    found: list[str] = []
    for name in re.findall(r"[\w/]+\.py", section[0]):
        near = found[-1].rpartition("/")[0] if found else ""
        found.append(name if "/" in name else f"{near}/{name}")
    return found


@pytest.mark.parametrize("way", WAYS)
def test_each_way_runs_through_the_files_it_is_drawn_with(
    way: str, traced: dict[str, dict[str, list[str]]]
) -> None:
    drawn = drawn_files(way)
    assert len(drawn) >= 6
    assert set(drawn) <= set(traced[way]["files"])


def test_every_file_that_is_named_is_there() -> None:
    for line in DRAWN.splitlines():
        row = re.match(r"\| `(\w+)`", line)
        for name in re.findall(r"`((?:\w+/)*\w+\.py)`", line):
            places = [name] if row is None else [name, f"{row[1]}/{name}"]
            package = ROOT / "src" / "loremap"
            known = (ROOT / name).is_file() or any((package / each).is_file() for each in places)
            assert known or any(package.rglob(f"*/{name}")), name
