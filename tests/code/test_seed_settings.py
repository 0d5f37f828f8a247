"""Each settings file and the statements it yields, with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_tools import seed_of, seeding, texts

from loremap.model.kind import Kind

PYPROJECT = """\
[project]
name = "shop"
requires-python = ">=3.11"
dependencies = ["django>=5", "celery"]

[tool.ruff]
line-length = 100
lint.select = ["E", "I", "PTH", "ERA", "T20"]
lint.ignore = ["T201"]

[tool.ruff.format]
quote-style = "single"

[tool.ruff.lint.pydocstyle]
convention = "google"

[tool.mypy]
strict = true

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-q --strict-markers"
filterwarnings = ["error"]
asyncio_mode = "auto"

[tool.coverage.report]
fail_under = 92

[tool.towncrier]
directory = "changes"

[[tool.importlinter.contracts]]
name = "The domain knows no framework"
"""

PYTHON = [
    ("The code must run on Python 3.11 and newer.", 3),
    ("The Python code is built on Django and Celery.", 4),
    ("Python lines are at most 100 characters long (ruff).", 7),
    (
        (
            "Ruff demands no commented-out code (ERA), sorted imports (I) and pathlib instead of "
            "os.path (PTH)."
        ),
        8,
    ),
    ("Python strings take single quotes (ruff format).", 12),
    ("Docstrings follow the Google style (ruff).", 15),
    ("Types are checked by mypy in strict mode: annotate every function.", 18),
    ("Tests are run by pytest and live in tests/.", 21),
    ("A new pytest marker must be registered in pyproject.toml (`--strict-markers`).", 22),
    ("A warning fails the tests (pytest's filterwarnings is `error`).", 23),
    ("Async tests need no `@pytest.mark.asyncio` (pytest's asyncio_mode is `auto`).", 24),
    ("Test coverage must stay at 92 % or more.", 27),
    ("Changes are announced by a news fragment in changes/ (towncrier).", 30),
    ("Imports are checked by import-linter: The domain knows no framework.", 33),
]


@pytest.mark.parametrize(("text", "line"), PYTHON)
def test_pyproject_settles(tmp_path: Path, text: str, line: int) -> None:
    seed = seed_of(seeding(tmp_path, {"pyproject.toml": PYPROJECT}), text)
    assert (seed.file, seed.line) == ("pyproject.toml", line)


def test_pyproject_says_nothing_else(tmp_path: Path) -> None:
    assert set(texts(seeding(tmp_path, {"pyproject.toml": PYPROJECT}))) == {t for t, _ in PYTHON}


PACKAGE = """\
{
  "name": "shop",
  "packageManager": "pnpm@9.1.0",
  "type": "module",
  "engines": { "node": ">=20" },
  "workspaces": ["apps/*", "packages/*"],
  "scripts": {
    "test": "vitest",
    "lint": "eslint .",
    "format": "prettier --check .",
    "build": "next build"
  },
  "dependencies": { "next": "15", "react": "19" },
  "devDependencies": { "typescript": "5", "vitest": "3" }
}
"""

JAVASCRIPT = [
    ("Use pnpm to install packages and run scripts.", 3),
    ("JavaScript files are ES modules by default: use import and export, not require.", 4),
    ("The code must run on Node.js 20 and newer.", 5),
    ("The repository is a monorepo; its packages lie in apps/* and packages/*.", 6),
    ("The TypeScript code is built on Next.js and React.", 13),
    ("JavaScript tests are written with Vitest.", 14),
]


@pytest.mark.parametrize(("text", "line"), JAVASCRIPT)
def test_package_json_settles(tmp_path: Path, text: str, line: int) -> None:
    seed = seed_of(seeding(tmp_path, {"package.json": PACKAGE}), text)
    assert (seed.file, seed.line) == ("package.json", line)


def test_package_json_says_nothing_else(tmp_path: Path) -> None:
    assert set(texts(seeding(tmp_path, {"package.json": PACKAGE}))) == {t for t, _ in JAVASCRIPT}


@pytest.mark.parametrize(
    ("lock", "manager"), [("bun.lock", "bun"), ("yarn.lock", "yarn"), ("package-lock.json", "npm")]
)
def test_the_lock_names_the_package_manager(tmp_path: Path, lock: str, manager: str) -> None:
    files = {"package.json": '{"scripts": {"test": "jest"}}', lock: ""}
    said = [f"Use {manager} to install packages and run scripts."]
    assert texts(seeding(tmp_path, files)) == said


def test_scripts_are_told_by_the_map(tmp_path: Path) -> None:
    assert texts(seeding(tmp_path, {"package.json": '{"scripts": {"test": "jest"}}'})) == []


OTHERS: list[tuple[str, str, str, int]] = [
    (
        "tsconfig.json",
        (
            '{\n  // strict\n  "compilerOptions": {\n    "strict": true,\n'
            '    "noUncheckedIndexedAccess": true,\n    "paths": {"@/*": ["./src/*"],},\n  },\n}'
        ),
        "TypeScript is compiled in strict mode; an indexed access may be undefined.",
        4,
    ),
    (
        "tsconfig.json",
        '{"include": ["src/**/*"], "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "TypeScript imports use the path aliases `@/*` for `./src/*`.",
        1,
    ),
    (
        ".prettierrc",
        '{"printWidth": 90, "semi": false, "singleQuote": true, "useTabs": true}',
        (
            "Prettier formats the code with lines of at most 90 characters, tabs, no semicolons "
            "and single quotes."
        ),
        1,
    ),
    (
        ".prettierrc.yml",
        "# ours\nprintWidth: 120\ntrailingComma: none\n",
        "Prettier formats the code with lines of at most 120 characters and no trailing commas.",
        2,
    ),
    (
        "prettier.config.mjs",
        "export default {\n  tabWidth: 4,\n  semi: true,\n};\n",
        "Prettier formats the code with 4 spaces of indent and semicolons.",
        2,
    ),
    (
        ".eslintrc.json",
        '{\n"extends": ["airbnb", "plugin:react/recommended", "prettier"]\n}',
        "ESLint checks the code with airbnb and react/recommended.",
        2,
    ),
    (
        ".eslintrc.yml",
        "extends: standard\nrules:\n  no-console: error\n  eqeqeq: [error, always]\n  curly: off\n",
        "ESLint demands no console calls and `===` instead of `==`.",
        3,
    ),
    (
        "eslint.config.js",
        (
            "export default [\n  { rules: {\n    'no-var': 'error',\n"
            "    'prefer-const': ['error'],\n    'no-console': 'off' } }]\n"
        ),
        "ESLint demands no `var` and `const` where nothing is reassigned.",
        3,
    ),
    (
        "biome.json",
        (
            '{\n"formatter": {"indentStyle": "tab", "lineWidth": 100},\n'
            '"javascript": {"formatter": {"quoteStyle": "single"}}}'
        ),
        (
            "Biome formats the JavaScript code with tabs, lines of at most 100 characters and "
            "single quotes."
        ),
        2,
    ),
    (
        ".stylelintrc.json",
        '{"extends": "stylelint-config-standard"}',
        "Stylelint checks the style sheets with stylelint-config-standard.",
        1,
    ),
    (
        "commitlint.config.js",
        "module.exports = {\n  extends: ['@commitlint/config-conventional'] }",
        "Commit messages follow Conventional Commits (commitlint), as in `feat: add search`.",
        2,
    ),
    (
        "ruff.toml",
        'line-length = 120\n[lint]\nselect = ["DTZ"]\n',
        "Ruff demands time-zone-aware datetimes (DTZ).",
        3,
    ),
    (
        ".flake8",
        "[flake8]\nmax-line-length = 79\n",
        "Python lines are at most 79 characters long (flake8).",
        2,
    ),
    (
        "setup.cfg",
        "[options]\npython_requires = >=3.9\n[isort]\nprofile = black\n",
        "Imports are sorted by isort with the black profile.",
        3,
    ),
    (
        "tox.ini",
        "[tox]\nenvlist =\n    py312\n    lint\n    docs\n",
        "Checks run through tox, as `tox -e NAME`; besides the tests there are lint and docs.",
        2,
    ),
    (
        ".pylintrc",
        "[FORMAT]\nmax-line-length=90\n",
        "Pylint checks the Python code with lines of at most 90 characters.",
        2,
    ),
    (
        "mypy.ini",
        "[mypy]\ndisallow_untyped_defs = True\n",
        "Types are checked by mypy, and every function must be annotated.",
        2,
    ),
    (
        "Cargo.toml",
        '[package]\nname = "x"\nedition = "2021"\nrust-version = "1.74"\n',
        "The code must compile with Rust 1.74 and newer.",
        4,
    ),
    (
        "Cargo.toml",
        '[lints.rust]\nunsafe_code = "forbid"\n',
        "Unsafe Rust is forbidden (the lint unsafe_code).",
        2,
    ),
    (
        "rustfmt.toml",
        "max_width = 110\nhard_tabs = true\n",
        "Rust code is formatted by rustfmt with lines of at most 110 characters and tabs.",
        1,
    ),
    (
        "rust-toolchain.toml",
        '[toolchain]\nchannel = "1.80"\n',
        "Develop with Rust 1.80 (rust-toolchain.toml).",
        2,
    ),
    (
        "go.mod",
        "module example.org/shop\n\ngo 1.22\n",
        "The code must build with Go 1.22 and newer.",
        3,
    ),
    (
        ".golangci.yml",
        "linters:\n  enable:\n    - errcheck\n    - govet # both\n",
        "Golangci-lint checks the Go code with errcheck and govet.",
        2,
    ),
    (
        "pom.xml",
        "<project>\n<properties>\n<java.version>17</java.version></properties></project>",
        "The code is compiled for Java 17.",
        3,
    ),
    (
        "build.gradle.kts",
        "kotlin {\n  jvmToolchain(21)\n}\n",
        "The code is compiled for Java 21.",
        2,
    ),
    (
        ".clang-format",
        "BasedOnStyle: LLVM\nColumnLimit: 100\n",
        (
            "C and C++ code is formatted by clang-format with the LLVM style and lines of at most "
            "100 characters."
        ),
        1,
    ),
    (
        "composer.json",
        '{"require": {"php": "^8.2", "laravel/framework": "^11"}}',
        "The PHP code is built on Laravel.",
        1,
    ),
    ("Gemfile", 'source "x"\nruby "3.3.0"\ngem "rails"\n', "The code runs on Ruby 3.3.0.", 2),
    (
        ".rubocop.yml",
        "Layout/LineLength:\n  Max: 120\nStyle/StringLiterals:\n  EnforcedStyle: double_quotes\n",
        "RuboCop checks the Ruby code with lines of at most 120 characters and double quotes.",
        1,
    ),
    (".nvmrc", "v20.11\n", "Develop with Node.js 20.11 (.nvmrc).", 1),
    (
        ".tool-versions",
        "nodejs 20.1.0\npython 3.12.1 # both\nunheard 1\n",
        "Develop with Node.js 20.1.0 and Python 3.12.1 (.tool-versions).",
        2,
    ),
    (
        ".pre-commit-config.yaml",
        (
            "repos:\n- repo: a\n  hooks:\n  - id: trailing-whitespace\n  - id: ruff-format\n"
            "- repo: b\n  hooks:\n  - id: mypy\n    args: [--strict]\n"
        ),
        "Python code is formatted by ruff format.",
        5,
    ),
    (
        ".editorconfig",
        (
            "root = true\n[*]\nindent_style = space\nindent_size = 4\n[*.ts]\nindent_size = 2\n"
            "[*.vue]\nindent_size=2\n[Makefile]\nindent_style = tab\n"
        ),
        "Indent with 2 spaces in *.ts and *.vue (.editorconfig).",
        6,
    ),
]


@pytest.mark.parametrize(("name", "content", "text", "line"), OTHERS)
def test_a_settings_file_settles(
    tmp_path: Path, name: str, content: str, text: str, line: int
) -> None:
    found = seeding(tmp_path, {name: content})
    assert found.notes == ()
    assert (seed_of(found, text).file, seed_of(found, text).line) == (name, line)


def test_a_hook_decides_which_formatter_it_is(tmp_path: Path) -> None:
    hooks = "repos:\n- repo: a\n  hooks:\n  - id: ruff-format\n"
    files = {"pyproject.toml": "[tool.black]\n", ".pre-commit-config.yaml": hooks}
    said = texts(seeding(tmp_path, files))
    assert "Python code is formatted by ruff format." in said
    assert "Python code is formatted by black." not in said


def test_a_ruff_toml_replaces_the_section_in_pyproject(tmp_path: Path) -> None:
    files = {"pyproject.toml": "[tool.ruff]\nline-length = 80\n", "ruff.toml": "line-length = 99\n"}
    assert texts(seeding(tmp_path, files)) == [
        "Python lines are at most 99 characters long (ruff)."
    ]


def test_the_kinds_are_told_apart(tmp_path: Path) -> None:
    files = {"package.json": PACKAGE, "Cargo.toml": '[lints.rust]\nunsafe_code = "forbid"\n'}
    found = seeding(tmp_path, files)
    assert seed_of(found, "Unsafe Rust is forbidden (the lint unsafe_code).").kind is Kind.WARNING
    built = seed_of(found, "The TypeScript code is built on Next.js and React.")
    assert built.kind is Kind.ARCHITECTURE


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package.json", '{"scripts": [1], "engines": "x", "dependencies": null, "prettier": 3}'),
        ("package.json", "[]"),
        ("pyproject.toml", "tool = 3\nproject = []\n"),
        (
            "pyproject.toml",
            "[tool]\nruff = []\nmypy = 1\npytest = 'x'\nimportlinter.contracts = [1]\n",
        ),
        ("tsconfig.json", '{"compilerOptions": {"strict": "yes", "paths": {"a": 3}}}'),
        (".prettierrc", '"@company/prettier-config"'),
        ("composer.json", '{"require": []}'),
        ("biome.json", '{"formatter": 1, "linter": {"enabled": false}}'),
    ],
)
def test_settings_of_an_odd_shape_say_nothing_false(
    tmp_path: Path, name: str, content: str
) -> None:
    assert texts(seeding(tmp_path, {name: content})) == []
