"""Hostile code of every language is read and linked in few steps, little memory and little time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_code import TONGUES, projects

from loremap.code.languages import LANGUAGES

PROCESSOR_SECONDS = 60
"""For all projects of a language; the slowest needs a tenth of it on one idle core."""
MEMORY_MB = 400
STEPS_PER_FILE = 12_000

HERE = Path(__file__).parent
SCRIPT = f"""
import json, resource, sys
sys.path.insert(0, {str(HERE)!r})
resource.setrlimit(resource.RLIMIT_CPU, ({PROCESSOR_SECONDS}, {PROCESSOR_SECONDS}))
resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY_MB} << 20, {MEMORY_MB} << 20))
from hostile_code import TONGUES, projects
from loremap.code.scan.read import symbol_rows
from loremap.code.extraction.extract import extract
from loremap.code.languages import language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver
for name, files in projects(TONGUES[sys.argv[1]]):
    facts = {{path: extract(source, language_of(path)) for path, source in files.items()}}
    for path, one in facts.items():
        symbol_rows(path, one, "")
    resolver = Resolver(MemoryProject(facts))
    steps = []
    for path in facts:
        resolver.links(path)
        steps.append(resolver.steps)
    print(json.dumps([name, len(files), max(steps)]), flush=True)
"""


def test_every_language_is_tried() -> None:
    assert set(TONGUES) == set(LANGUAGES)


@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of time and memory")
@pytest.mark.parametrize("language", TONGUES)
def test_hostile_code_comes_to_an_end(language: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, language], capture_output=True, text=True, check=False
    )
    done = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 0, f"after {done[-1:]}: {ran.stderr[-2000:]}"
    assert [name for name, _, _ in done] == [name for name, _ in projects(TONGUES[language])]
    assert [one for one in done if one[2] > STEPS_PER_FILE] == []
