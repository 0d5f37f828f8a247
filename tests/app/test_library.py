"""The library as a program uses it: the names at the top, answers that are sequences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import loremap


def test_every_name_at_the_top_is_there() -> None:
    assert {name for name in loremap.__all__ if getattr(loremap, name, None) is None} == set()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        loremap.nothing  # noqa: B018


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, loremap; sys.exit(bool({'numpy', 'sqlalchemy', 'click'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_answer_is_a_sequence(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as lore:
        lore.use_embedder(None)
        stored = lore.remember("Deploys go through the release branch.", kind=loremap.Kind.DECISION)
        assert isinstance(stored, loremap.Stored)
        answer = lore.recall("which branch do deploys go through?")
        assert [hit.memory.id for hit in answer] == [stored.memory.id]
        assert (len(answer), answer[0], answer[:1]) == (1, answer.hits[0], answer.hits)
        assert not lore.recall("a haiku about spring rain")


def test_a_task_is_briefed_and_located(home: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "greeting.py").write_text('def greet():\n    """Make the greeting."""\n')
    with loremap.open(tmp_path) as lore:
        lore.use_embedder(None)
        lore.remember("The greeting is polite.", files=["greeting.py"])
        assert "The greeting is polite." in lore.brief("change the greeting").text
        assert [one.path for one in lore.locate("change the greeting")] == ["greeting.py"]


def test_what_cannot_be_done_is_one_kind_of_error(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as lore, pytest.raises(loremap.NotFound) as missing:
        lore.show("0123abcd")
    assert isinstance(missing.value, loremap.LoremapError)
    assert missing.value.hint
