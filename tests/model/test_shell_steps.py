"""Which command lines look for files, and which read them."""

from __future__ import annotations

import time

import pytest

from loremap.model.shell_steps import reads, searched, searches


@pytest.mark.parametrize(
    ("command", "is_search"),
    [
        ("grep -rn refresh src", True),
        ("rg 'def \\w+' --type py", True),
        ("cd src && find . -name '*.py'", True),
        ("/usr/bin/find . -type f", True),
        ("git grep refresh", True),
        ("git ls-files | head", True),
        ("LANG=C sudo ls -la src", True),
        ("git log --oneline", False),
        ("pytest -q | grep FAILED", False),  # a filter finds no file
        ("echo find", False),
        ("cat src/a.py", False),
        ("python -c 'import os; print(1)'", False),
        ("grep 'unclosed", True),
        ("", False),
    ],
)
def test_a_command_that_looks_for_files(command: str, is_search: bool) -> None:
    assert searches(command) is is_search


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat src/a.py", ("src/a.py",)),
        ("sed -n '1,80p' src/auth/tokens.py", ("src/auth/tokens.py",)),
        ("cat a.py b.py && head -20 README.md", ("a.py", "b.py", "README.md")),
        ("cat Makefile", ()),  # what has no ending cannot be told from a word
        ("cat src/Makefile", ("src/Makefile",)),
        ("python run.py", ()),
        ("pytest -q | tail -5", ()),
        ("tail -f log/app.log", ("log/app.log",)),
        ("", ()),
    ],
)
def test_a_command_that_reads_files(command: str, files: tuple[str, ...]) -> None:
    assert reads(command) == files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cd src && cat a.py", ("src/a.py",)),
        ("cd src; cd ../lib && cat a.py /etc/b.conf", ("lib/a.py", "/etc/b.conf")),
        ("cat a.py; cd src", ("a.py",)),
    ],
)
def test_a_file_is_read_from_where_the_line_went(command: str, files: tuple[str, ...]) -> None:
    assert reads(command) == files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("rg -n total src/a.py", ("src/a.py",)),
        ("grep -rn a.b src/a.py b.py", ("src/a.py", "b.py")),  # the first word is what is sought
        ("grep total", ()),
        ("cat src/a.py | grep b.py", ()),
    ],
)
def test_the_files_that_are_looked_in(command: str, files: tuple[str, ...]) -> None:
    assert searched(command) == files


def test_a_command_line_that_is_a_whole_file_costs_no_more_than_its_beginning() -> None:
    line = "cat a.py; cat > b.txt <<X\n" + "word '" * 500_000
    began = time.perf_counter()
    assert reads(line)[0] == "a.py"
    assert time.perf_counter() - began < 1
