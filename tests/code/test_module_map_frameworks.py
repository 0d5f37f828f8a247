"""What runs a project's tests, from its manifests and the command that is stated."""

from __future__ import annotations

import pytest
from map_tools import project

from loremap.code.module_map import mapped, wanted_texts
from loremap.model.module import BuildSystem

PACKAGE = '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}'
CASES = {
    "npm": (
        ["src/a.ts"],
        {"package.json": PACKAGE},
        ["vitest.config.ts"],
        BuildSystem(tool="npm", commands={"test": "npm test"}),
        ("vitest", "vitest.config.ts", "npm test"),
    ),
    "pytest": (
        ["src/a.py"],
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        [],
        BuildSystem(tool="pip", commands={"test": "make test"}),
        ("pytest", "pyproject.toml", "make test"),
    ),
    "go": (
        ["main.go"],
        {"go.mod": "module example.com/shop\n"},
        [],
        BuildSystem(tool="go", commands={"test": "go test ./..."}),
        ("go test", "go.mod", "go test ./..."),
    ),
    "ruby": (
        ["lib/a.rb"],
        {"Gemfile": "gem 'rspec'"},
        [".rspec"],
        BuildSystem(tool="bundler", commands={"test": "bundle exec rspec"}),
        ("rspec", ".rspec", "bundle exec rspec"),
    ),
    "nothing": (["a.py"], {}, [], BuildSystem(), ("", "", "")),
}


@pytest.mark.parametrize("case", CASES)
def test_what_runs_the_tests(case: str) -> None:
    files, texts, others, build, framework = CASES[case]
    found = mapped(project(files, texts=texts, others=others), build)
    assert found.build == build
    assert (found.tests.tool, found.tests.config_file, found.tests.run_command) == framework


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
