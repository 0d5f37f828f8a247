"""The launcher as a batch file: paths of any alphabet, and the exit code of what it started."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loremap.interfaces.hooks import launcher


def batch(home: Path) -> list[str]:
    """The lines of the launcher of a home."""
    text = launcher._text(home, windows=True)
    assert text.count(b"\n") == text.count(b"\r\n")
    return text.decode("utf-8").split("\r\n")


@pytest.mark.parametrize("name", ["lore", "50% of it", "Jürgen Ünal", "Дома"])
def test_paths_are_read_in_the_code_page_they_are_written_in(tmp_path: Path, name: str) -> None:
    lines = batch(tmp_path / name)
    odd = [number for number, line in enumerate(lines) if not line.isascii()]
    pages = [number for number, line in enumerate(lines) if line.startswith("chcp ")]
    assert f'set "lore_home={tmp_path / name}"'.replace("%", "%%") in lines
    if name.isascii():
        assert (odd, pages) == ([], [])
        return
    before, after = pages
    assert (lines[before], lines[after]) == ("chcp 65001 >nul", "chcp %lore_page% >nul")
    assert odd
    assert all(before < number < after for number in odd)


def test_the_exit_code_is_that_of_what_was_started(tmp_path: Path) -> None:
    lines = batch(tmp_path)
    # Within parentheses %errorlevel% is what it was before the first of their lines ran.
    assert not [line for line in lines if line.rstrip().endswith("(")]
    ended = [number for number, line in enumerate(lines) if line == "exit /b %errorlevel%"]
    assert [re.split(r"[ %]", lines[number - 1])[0] for number in ended] == ['"', "call"]
    assert {line[1:] for line in lines if line.startswith(":")} == {
        line.rpartition("goto ")[2] for line in lines if "goto " in line
    }


def test_what_it_sets_does_not_hide_what_others_go_by(tmp_path: Path) -> None:
    names = re.findall(r'set "(\w+)=', "\n".join(batch(tmp_path)))
    assert len(names) > 6
    assert all(name.startswith(("lore_", "LOREMAP_")) for name in names)
