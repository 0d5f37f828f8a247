"""Which command lines look for files, and which read them."""

from __future__ import annotations

import time

import pytest

from loremap.model.shell_steps import commands_in, covers, reads, searched, searches


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


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("make 2>&1 | tail -1", [("make", "2>&1")]),
        ("npm run dev & curl localhost", [("npm", "run", "dev"), ("curl", "localhost")]),
        ("for i in 1 2; do mix test --seed $i; done", [("mix", "test", "--seed", "$i")]),
        ("if make; then ./run; else exit 1; fi", [("make",), ("run",), ("exit", "1")]),
    ],
)
def test_the_steps_of_a_line(command: str, steps: list[tuple[str, ...]]) -> None:
    assert list(commands_in(command)) == steps


@pytest.mark.parametrize(
    ("passed", "failed", "expected"),
    [
        ("make test", "make test", True),
        ("mix test", 'mix test --seed 2 --trace 2>&1 | grep -A6 "1) test"', True),
        ("for i in $(seq 20); do mix test --seed $i; done", "mix test --seed 2 --trace", True),
        ("pytest -q", "pytest tests/test_a.py", True),
        ("pytest tests", "pytest tests/test_a.py -x", True),
        ("python -m pytest", "python -m pytest tests/test_a.py", True),
        ("npm run test", "npm run test -- auth", True),
        ("cd app && make test && make lint", "make test", True),
        # another target, program or part
        ("make", "make test", False),
        ("make lint", "make test", False),
        ("npm run build", "npm run test", False),
        ("pytest tests/test_a.py", "pytest", False),
        ("pytest tests/test_b.py", "pytest tests/test_a.py", False),
        ("python -m mypy", "python -m pytest", False),
        ("make test", "make test && make lint", False),
        ("git status", "mix test", False),
        ("make test", "", False),
        ("", "make test", False),
    ],
)
def test_a_run_that_is_as_wide_as_another(passed: str, failed: str, expected: bool) -> None:
    assert covers(passed, failed) is expected
