"""The commands of a project: what is stated beats what is guessed, each with its source."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremap.code.commands import project_commands
from loremap.code.commands.choose import rank
from loremap.code.commands.tasks import make_tasks, nox_tasks, tasks
from loremap.code.commands.tools import purposes
from loremap.code.commands.value import CHECKS_FORMAT, ELSEWHERE, FIXES, Candidate, Said, Who
from loremap.code.commands.workflows import said_in_ci
from loremap.model.module import BuildSystem

PACKAGE = """{
  "packageManager": "pnpm@9",
  "scripts": {
    "test": "vitest", "lint": "biome check", "dev": "vite", "prettier": "prettier --check .",
    "prebuild": "x", "build": "vite build"
  }
}"""
MAKEFILE = """\
PY := python
.PHONY: test lint
test: deps ## all tests
\tpytest

lint:
\truff check .

# Slow tests with faults.
test-faults:
\tpytest -m faults
install: all
\tinstall -d /usr/bin
"""
TASKFILE = """\
version: '3'
tasks:
  install:
    cmds: [go install -v ./cmd/x]
  test:
    desc: Runs test suite
    cmds:
      - gotestsum ./...
  fmt:
    cmds: [golangci-lint fmt]
"""
NOX = """\
import nox

@nox.session(python=["3.12"])
def test(session):
    session.run("pytest", *session.posargs)

@nox.session
def lint(session):
    session.run("pre-commit", "run", "--all-files")
"""
HOOKS = "repos:\n- repo: x\n  hooks:\n  - id: black\n"
AGENTS = """\
# Guide

## Commands

All commands run from `site/`.

| Command | What it does |
|---|---|
| `python manage.py test` | Run the full test suite |
| `python manage.py test shop.tests.test_api` | Run a single test module |
| `ruff check` | Lint |
| `mkdocs serve` | Preview documentation |

```bash
pip install -r requirements.txt

# DO NOT run these commands
make deploy-test
```

- **No `ruff format`** on existing files.
"""
WORKFLOW = """\
jobs:
  t:
    steps:
      - run: pip install .
      - name: T
        run: |
          python -m pytest \\
            -x
          flake8 shop
      - run: cargo fmt -- --check
        working-directory: native
"""


def found(texts: Mapping[str, str], *others: str) -> BuildSystem:
    """The commands of a repository of these files."""
    return project_commands([*texts, *others], lambda path: texts.get(path, ""))


CASES: dict[str, tuple[Mapping[str, str], tuple[str, ...], dict[str, str]]] = {
    "instructions before settings, and what they forbid is not said": (
        {"AGENTS.md": AGENTS, "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff.format]\n"},
        ("site/manage.py", "site/a.py", "requirements.txt"),
        {
            "test": "python manage.py test",
            "test_one": "python manage.py test shop.tests.test_api",
            "lint": "ruff check",
            "run": "python site/manage.py runserver",
            "install": "pip install -r requirements.txt",
        },
    ),
    "a formatter that only checks is not the one that writes": (
        {
            "package.json": PACKAGE,
            "CLAUDE.md": "# x\n```bash\npnpm prettier  # format the code\n```\n",
        },
        ("src/a.ts",),
        {
            "test": "pnpm test",
            "test_one": "pnpm test <path>",
            "lint": "pnpm lint",
            "format": "pnpm exec prettier --write .",
            "build": "pnpm build",
            "run": "pnpm dev",
            "install": "pnpm install",
        },
    ),
    "a Makefile is what people type, but its install is not for developers": (
        {"Makefile": MAKEFILE, "pyproject.toml": "[tool.pytest.ini_options]\n"},
        ("a.py",),
        {"test": "make test", "lint": "make lint"},
    ),
    "a task is for what it runs": (
        {"Taskfile.yml": TASKFILE, "go.mod": "module x\n"},
        ("main.go",),
        {
            "test": "task test",
            "test_one": "go test -run <TestName> ./...",
            "format": "task fmt",
            "build": "task install",
        },
    ),
    "hooks that rewrite files format them": (
        {"noxfile.py": NOX, ".pre-commit-config.yaml": HOOKS, "setup.cfg": ""},
        ("a.py",),
        {
            "test": "nox -s test",
            "test_one": "nox -s test -- <path>",
            "lint": "nox -s lint",
            "format": "nox -s lint",
        },
    ),
    "a guide before CI, CI before nothing": (
        {
            "CONTRIBUTING.md": "# Tests\n\nRun the tests with `scripts/test`.\n",
            ".github/workflows/ci.yml": WORKFLOW,
        },
        ("scripts/test", "a.py", "native/Cargo.toml"),
        {"test": "scripts/test", "lint": "flake8 shop"},
    ),
    "an alias of cargo, the writing twin of a check, default-members": (
        {
            "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\ndefault-members = ["a"]\n',
            ".cargo/config.toml": '[alias]\nlint = "clippy --all-targets"\n',
            ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n    - run: cargo fmt --check\n",
        },
        ("a/src/lib.rs",),
        {
            "test": "cargo test --workspace",
            "test_one": "cargo test <name>",
            "lint": "cargo lint",
            "format": "cargo fmt",
        },
    ),
    "a command of a task that is not there is stale": (
        {"package.json": PACKAGE, "CONTRIBUTING.md": "# Test\n\nRun `pnpm test-all`.\n"},
        ("src/a.ts",),
        {
            "test": "pnpm test",
            "test_one": "pnpm test <path>",
            "lint": "pnpm lint",
            "format": "pnpm exec prettier --write .",
            "build": "pnpm build",
            "run": "pnpm dev",
            "install": "pnpm install",
        },
    ),
    "how something is tried is not how it is run": (
        {"HACKING.md": "# X\n\nTo log, use `cargo run -- --log a`. Or: `NO_MAPS=1 cargo run`.\n"},
        (),
        {},
    ),
    "a README speaks to users first": (
        {"README.md": "# X\n\n## Example\n\n    flask run\n\n## Building\n\n    make check\n"},
        ("Makefile.am", "a.c"),
        {"test": "make check", "test_one": "make check TESTS=<path>"},
    ),
    "nothing is sure": ({"a.py": ""}, (), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_commands_of_a_project(case: str) -> None:
    texts, others, commands = CASES[case]
    assert found(texts, *others).commands == commands


def test_each_command_has_its_source_and_its_folder() -> None:
    texts, others, _ = CASES["instructions before settings, and what they forbid is not said"]
    build = found(texts, *others)
    assert build.sources["test"] == "AGENTS.md:9"
    assert build.folders["test"] == "site"
    assert build.sources["install"] == "AGENTS.md:15"
    assert "install" not in build.folders
    assert build.said()["test"] == "python manage.py test (in site/)"


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("TZ=UTC yarn vitest run", {"test"}),
        ("uv run pytest -x", {"test"}),
        ("prettier --check .", {CHECKS_FORMAT}),
        ("npx prettier --write .", {"format"}),
        ("cargo fmt -- --check", {CHECKS_FORMAT}),
        ("cargo fmt", {"format"}),
        ("gofmt -l .", {CHECKS_FORMAT}),
        ("eslint . --fix", {FIXES}),
        ("ruff check", {"lint"}),
        ("./mvnw clean package", {"build", "test"}),
        ("./gradlew spotlessApply", {"format"}),
        ("php vendor/bin/phpstan analyse", {"lint", "typecheck"}),
        ("mkdocs build", {ELSEWHERE}),
        ("cargo --version", {ELSEWHERE}),
        ("tsc --noEmit", {"typecheck"}),
        ("frobnicate", set()),
    ],
)
def test_what_a_program_does(line: str, does: set[str]) -> None:
    assert purposes(line) == does


def _candidate(who: Who, narrow: int = 0) -> Candidate:
    return Candidate(said=Said(line="x", file="f", at=1, who=who), purpose="test", narrow=narrow)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (_candidate(Who.INSTRUCTIONS), _candidate(Who.GUIDE)),
        (_candidate(Who.GUIDE), _candidate(Who.TASK)),
        (_candidate(Who.TASK), _candidate(Who.README)),
        (_candidate(Who.README), _candidate(Who.CI)),
        (_candidate(Who.CI), _candidate(Who.USUAL)),
        (_candidate(Who.GUIDE, narrow=1), _candidate(Who.TASK)),
        (_candidate(Who.TASK), _candidate(Who.TASK, narrow=1)),
        (_candidate(Who.CI), _candidate(Who.INSTRUCTIONS, narrow=3)),
    ],
)
def test_who_is_believed(better: Candidate, worse: Candidate) -> None:
    assert rank(better) < rank(worse)


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        (".github/workflows/a.yml", "s:\n- run: make test # all\n", [("make test", 2)]),
        (".github/workflows/a.yml", "s:\n  - run: 'npm test'\n", [("npm test", 2)]),
        (".github/workflows/a.yml", "s:\n  - run: tox -e ${{ matrix.env }}\n", []),
        (".github/workflows/release.yml", "s:\n  - run: make test\n", []),
        (
            ".github/workflows/a.yml",
            "s:\n  - run: |\n      # why\n      a\n\n      b && c\n  - uses: x\n",
            [("a", 4), ("b", 6), ("c", 6)],
        ),
        (".gitlab-ci.yml", "t:\n  script:\n    - make test\n", [("make test", 3)]),
        ("other.yml", "- run: a\n", []),
        (".github/workflows/a.yml", "\t:\x00 run: |", []),
    ],
)
def test_the_lines_that_ci_runs(path: str, text: str, lines: list[tuple[str, int]]) -> None:
    assert [(one.line, one.at) for one in said_in_ci({path: text})] == lines


def test_targets_and_their_comments() -> None:
    text = (
        "# Run it.\nrun: a b\n\t./x\nV = 1\nW := 2\nfmt format: ## tidy up\n%.o: %.c\n.SUFFIXES:\n"
    )
    read = {task.name: (task.words, task.at) for task in make_tasks("Makefile", text)}
    assert read == {"run": ("Run it.", 2), "fmt": ("tidy up", 6), "format": ("tidy up", 6)}


def test_sessions_and_what_they_run() -> None:
    read = [(task.line, task.body, task.at) for task in nox_tasks("noxfile.py", NOX)]
    assert read == [
        ("nox -s test", ("pytest",), 4),
        ("nox -s lint", ("pre-commit run --all-files",), 8),
    ]


def test_scripts_that_run_by_themselves_are_no_tasks() -> None:
    assert "prebuild" not in {task.name for task in tasks({"package.json": PACKAGE}, "npm")}


NAMES = st.sampled_from(
    [
        "package.json",
        "pyproject.toml",
        "Cargo.toml",
        "go.mod",
        "tox.ini",
        "setup.cfg",
        "pom.xml",
        "Makefile",
        "justfile",
        "README.md",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "deno.json",
        "composer.json",
        "noxfile.py",
        "Taskfile.yml",
        "AGENTS.md",
        "CONTRIBUTING.md",
        ".cargo/config.toml",
        "hatch.toml",
        "magefile.go",
        "Rakefile",
        "CMakePresets.json",
        "a/package.json",
        "x.gemspec",
    ]
)
BROKEN = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        [
            "{",
            "[[",
            "[a",
            "[project]\nname = 1",
            '{"scripts": 3}',
            '{"scripts": {"a": {}}}',
            "null",
            "[]",
            '"x"',
            "[tool]\npytest = 3",
            "[project.scripts]\na = 1",
            "=\n=",
            '{"bin": [1], "exports": [[]], "main": {}}',
            "[metadata]\nname",
            "<a" * 50,
            "[" * 5000,
            "run: |",
            "a.b" * 200 + " = 1",
        ]
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, BROKEN, max_size=6))
def test_broken_files_never_raise(texts: dict[str, str]) -> None:
    assert set(found(texts, "a.py", "b.ts").commands) >= set()
