"""Shell commands in documents, and what they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_COMMAND = 140

PURPOSES: dict[str, str] = {
    "docs": "Build the documentation with",
    "lint": "Check the code with",
    "format": "Format the code with",
    "types": "Check the types with",
    "test": "Run the tests with",
    "build": "Build the project with",
    "hooks": "Install the commit hooks with",
    "setup": "Set up the development environment with",
}
"""How a command of each purpose is told; looked for in this order."""

_SIGNS: dict[str, str] = {
    "docs": r"sphinx-build|mkdocs|\bmake (?:-C docs?/? )?html|\be ?docs\b|docs:build|build:docs",
    "lint": r"eslint|ruff check|flake8|(?<![=./])pylint(?![./])|golangci-lint|clippy|rubocop"
    r"|stylelint|biome|pre-commit run|prek run|\blint\b|go vet|shellcheck|phpstan"
    r"|checkstyle|ktlint|detekt",
    "format": r"\bblack\b|ruff format|prettier|gofmt|go fmt|cargo fmt|\bisort\b|\bfmt\b"
    r"|\bformat\b|clang-format|spotlessApply",
    "types": r"mypy|pyright|\btsc\b|\bty check|type-?check",
    "test": r"pytest|\btox\b|\bnox\b|jest|vitest|mocha|rspec|phpunit|ctest|nextest|unittest"
    r"|runtests|\btests?\b|\bmake check",
    "build": r"\bbuild\b|\bmvn (?:clean )?(?:package|install|verify)|^make$",
    "hooks": r"pre-commit install|prek install|lefthook install|husky install",
    "setup": r"pip install (?:-e|-r|--editable|-U? ?--group)|poetry install|uv sync|npm ci$"
    r"|(?:npm|pnpm|bun|yarn) install|^yarn$|bundle install|composer install|make (?:setup|dev)"
    r"|go mod download|pdm install|pixi install",
}
_PURPOSE = {name: re.compile(signs) for name, signs in _SIGNS.items()}
_PROMPT = re.compile(r"^\s*(?:\$|%|❯|➜|\(\w+\)\s*\$)\s+")
_REMARK = re.compile(r"\s+#\s+(.*)$")
_NOT_ONE = re.compile(
    r"^(?:git (?!bisect)|cd |mkdir |source |export |curl |wget |sudo |open |rm |cp |conda |brew "
    r"|apt|(?:python3? -m )?pip3? install (?!-e|-r|--e|--g|-U? ?--group)"
    r"|npm (?:i|install) (?=[\w@-])|go (?:install|get) |cargo install )"
)
_SHELLS = frozenset(
    {"", "bash", "sh", "shell", "console", "zsh", "shell-session", "terminal", "text"}
)
_PY_VERSION = re.compile(r"\bpy\d{2,3}\b")
_ASKS = re.compile(r"--(?:help|version|list|watch)|:watch")
_WORD = re.compile(r"(?:[A-Z_]+=\S+ )*[a-z.][\w./@:-]*(?<!/)(?:\s|$)")
"""A program; what ends in a slash is a folder, as in a drawing of a tree."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command line, what it is for, and what is said beside it."""

    line: str
    purpose: str
    remark: str = ""
    offset: int = 0
    """Lines from the start of its block."""

    @property
    def about(self) -> str:
        """The key under which the same command in another file is found."""
        return about_command(self.line)


def about_command(line: str) -> str:
    """The key of a command, the same for every version of an interpreter it names."""
    return f"command:{_PY_VERSION.sub('py', line)}"


def purpose_of(command: str) -> str:
    """What `command` is for, as a key of `PURPOSES`; empty where that is not plain."""
    if _NOT_ONE.match(command) or not 3 <= len(command) <= LONGEST_COMMAND:
        return ""
    if (
        not _WORD.match(command)
        or _ASKS.search(command)
        or "`" in command
        or "…" in command
        or "|" in command
    ):
        return ""
    return next((name for name in PURPOSES if _PURPOSE[name].search(command)), "")


def commands(code: str, *, language: str = "") -> Iterator[Command]:
    """The commands in a block of shell code whose purpose is plain."""
    if language not in _SHELLS:
        return
    prompted = any(_PROMPT.match(line) for line in code.split("\n"))
    for offset, raw in enumerate(code.split("\n")):
        if prompted and not _PROMPT.match(raw):
            continue
        line = _PROMPT.sub("", raw).strip()
        remark = _REMARK.search(line)
        bare = line[: remark.start()].strip() if remark else line
        purpose = "" if bare.endswith("\\") or bare.startswith("#") else purpose_of(bare)
        if purpose:
            yield Command(bare, purpose, remark[1].strip() if remark else "", offset)
