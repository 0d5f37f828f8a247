"""Commands and test frameworks from manifests, task files and CI."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from map_tools import project

from loremap.codegraph.module_map import mapped, wanted_texts
from loremap.codegraph.module_map.ci_files import run_lines
from loremap.codegraph.module_map.task_files import make_tasks

PACKAGE = """{
  "scripts": {"test": "vitest", "lint": "biome check", "dev": "vite", "prebuild": "x"},
  "devDependencies": {"vitest": "1"}
}"""
MAKEFILE = """\
PY := python
.PHONY: test lint
test: deps ## all tests
\tpytest

lint:
\truff

# Slow tests with faults.
test-faults:
\tpytest -m faults
out/x.o: x.c
\tcc
"""
TOX = """\
[testenv]
changedir = tests
commands =
  {envpython} runtests.py {posargs}
"""
NOX = "import nox\n\n@nox.session(python=['3'])\ndef tests(session):\n    pass\n"
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
"""
CASES = {
    "npm": (
        ["src/a.ts"],
        {"package.json": PACKAGE},
        ["vitest.config.ts"],
        ("npm", {"test": "npm test", "lint": "npm run lint", "run": "npm run dev"}),
        ("vitest", "vitest.config.ts", "npm test"),
    ),
    "the lock file names the manager": (
        ["src/a.ts"],
        {"package.json": PACKAGE},
        ["pnpm-lock.yaml"],
        ("pnpm", {"test": "pnpm test", "lint": "pnpm lint"}),
        ("vitest", "", "pnpm test"),
    ),
    "packageManager before the lock file": (
        ["src/a.ts"],
        {"package.json": '{"packageManager": "yarn@4.1", "scripts": {"test": "jest"}, "jest": 0}'},
        ["package-lock.json"],
        ("yarn", {"test": "yarn test", "install": "yarn install"}),
        ("jest", "package.json", "yarn test"),
    ),
    "node's own runner": (
        ["a.js"],
        {"package.json": '{"scripts": {"test": "node --test"}}'},
        [],
        ("npm", {"test": "npm test"}),
        ("node:test", "package.json", "npm test"),
    ),
    "uv": (
        ["src/a.py"],
        {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n"},
        ["uv.lock"],
        (
            "uv",
            {"test": "uv run pytest", "lint": "uv run ruff check .", "typecheck": "uv run mypy"},
        ),
        ("pytest", "pyproject.toml", "uv run pytest"),
    ),
    "a Makefile is what people type": (
        ["src/a.py"],
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "Makefile": MAKEFILE,
        },
        [],
        (
            "pip",
            {
                "test": "make test",
                "lint": "make lint",
                "test-faults": "make test-faults  # Slow tests with faults.",
            },
        ),
        ("pytest", "pyproject.toml", "make test"),
    ),
    "a runner of its own, by tox": (
        ["shop/a.py"],
        {
            "tox.ini": TOX,
            "setup.py": "setup(name='shop')",
        },
        ["tests/runtests.py"],
        ("pip", {"test": "cd tests && python runtests.py"}),
        ("unittest", "tests/runtests.py", "cd tests && python runtests.py"),
    ),
    "poetry and nox": (
        ["shop/a.py"],
        {
            "pyproject.toml": '[tool.poetry]\nname = "shop"\n',
            "noxfile.py": NOX,
        },
        ["poetry.lock"],
        ("poetry", {"test": "nox -s tests", "install": "poetry install"}),
        ("", "", "nox -s tests"),
    ),
    "go": (
        ["main.go"],
        {"go.mod": "module example.com/shop\n"},
        [".golangci.yml"],
        ("go", {"build": "go build ./...", "test": "go test ./...", "lint": "golangci-lint run"}),
        ("go test", "go.mod", "go test ./..."),
    ),
    "cargo": (
        ["src/main.rs"],
        {"Cargo.toml": '[package]\nname = "shop"\n'},
        [],
        ("cargo", {"build": "cargo build", "test": "cargo test", "run": "cargo run"}),
        ("cargo test", "Cargo.toml", "cargo test"),
    ),
    "maven with its wrapper": (
        ["src/main/java/a/B.java"],
        {"pom.xml": "<project><artifactId>shop</artifactId></project>"},
        ["mvnw"],
        ("maven", {"test": "./mvnw test"}),
        ("JUnit", "pom.xml", "./mvnw test"),
    ),
    "gradle": (
        ["src/A.java"],
        {"build.gradle": "plugins {}"},
        [],
        ("gradle", {"test": "gradle test"}),
        ("JUnit", "build.gradle", "gradle test"),
    ),
    "ruby": (
        ["lib/a.rb"],
        {"shop.gemspec": "s.name = 'shop'", "Gemfile": "gem 'rspec'"},
        [".rspec"],
        ("bundler", {"test": "bundle exec rspec"}),
        ("rspec", ".rspec", "bundle exec rspec"),
    ),
    "composer": (
        ["src/a.php"],
        {"composer.json": '{"scripts": {"lint": "phpcs", "post-install-cmd": "x"}}'},
        ["phpunit.xml"],
        ("composer", {"test": "vendor/bin/phpunit", "lint": "composer run lint"}),
        ("phpunit", "phpunit.xml", "vendor/bin/phpunit"),
    ),
    "deno, with comments": (
        ["a.ts"],
        {"deno.json": '{\n  // the tasks\n  "tasks": {"start": "deno run a.ts",},\n}'},
        [],
        ("deno", {"run": "deno task start", "test": "deno test"}),
        ("deno test", "deno.json", "deno test"),
    ),
    "just": (
        ["a.c"],
        {"justfile": "# build it all\nbuild target='x':\n  cc\ntest: build\n  ./t\n"},
        [],
        ("just", {"build": "just build", "test": "just test"}),
        ("", "", "just test"),
    ),
    "only CI knows": (
        ["shop/a.py"],
        {".github/workflows/ci.yml": WORKFLOW},
        [],
        ("", {"test": "python -m pytest -x", "lint": "flake8 shop"}),
        ("", "", "python -m pytest -x"),
    ),
    "most of the code decides": (
        ["shop/a.py", "shop/b.py", "ui/a.js"],
        {"package.json": PACKAGE, "pyproject.toml": "[tool.pytest.ini_options]\n"},
        [],
        ("pip", {"test": "npm test"}),
        ("pytest", "pyproject.toml", "npm test"),
    ),
    "nothing": (["a.py"], {}, [], ("", {}), ("", "", "")),
}


@pytest.mark.parametrize("case", CASES)
def test_build_and_tests(case: str) -> None:
    files, texts, others, (tool, commands), framework = CASES[case]
    found = mapped(project(files, texts=texts, others=others))
    assert found.build.tool == tool
    assert {key: found.build.commands.get(key) for key in commands} == commands
    assert (found.tests.tool, found.tests.config_file, found.tests.run_command) == framework


def test_scripts_that_run_by_themselves_are_no_commands() -> None:
    found = mapped(project(["a.ts"], texts={"package.json": PACKAGE}))
    assert "npm run prebuild" not in found.build.commands.values()


def test_what_is_read() -> None:
    paths = [
        "src/app.py",
        "README.md",
        "packages/a/package.json",
        "node_modules/x/package.json",
        "tests/fixtures/package.json",
        ".github/workflows/ci.yml",
        "docs/guide.md",
        "a/b/c/d/e/f/g/h/package.json",
        "Makefile",
        "sub/Makefile",
        "pyproject.toml",
    ]
    assert wanted_texts(paths) == [
        "Makefile",
        "README.md",
        "pyproject.toml",
        ".github/workflows/ci.yml",
        "packages/a/package.json",
    ]


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        (".github/workflows/a.yml", "steps:\n- run: make test # all\n", ["make test"]),
        (".github/workflows/a.yml", "steps:\n  - run: 'npm test'\n", ["npm test"]),
        (".github/workflows/a.yml", "steps:\n  - run: tox -e ${{ matrix.env }}\n", []),
        (
            ".github/workflows/a.yml",
            "  - run: |\n      # why\n      a\n\n      b\n  - uses: x\n",
            ["a", "b"],
        ),
        (
            ".gitlab-ci.yml",
            "t:\n  script:\n    - make test\n    - 'make lint'\n  tags: [x]\n",
            ["make test", "make lint"],
        ),
        (".gitlab-ci.yml", "t:\n  script: make test\n", ["make test"]),
        ("other.yml", "- run: a\n", []),
        (".github/workflows/a.yml", "\t:\x00 run: |", []),
    ],
)
def test_the_lines_that_ci_runs(path: str, text: str, lines: list[str]) -> None:
    assert run_lines({path: text}) == lines


def test_targets_and_their_comments() -> None:
    text = (
        "# Run it.\nrun: a b\n\t./x\nV = 1\nW := 2\nfmt format: ## tidy up\n%.o: %.c\n.SUFFIXES:\n"
    )
    found = {task.name: task.said for task in make_tasks(text)}
    assert found == {"run": "Run it.", "fmt": "tidy up", "format": "tidy up"}


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
    assert len(mapped(project(["a.py", "b.ts", "c.go"], texts=texts)).modules) >= 1
