"""What a repository's commands do: by their program, by the task they call, by the script they run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loremap.code.commands import names, tools
from loremap.code.commands.tasks import split
from loremap.code.commands.value import CHECKS_FORMAT, ELSEWHERE, FIXES, HOOKS_FORMAT, Task

_DEEPEST = 4
_RUNS = re.compile(
    r"^(make|task|just|mage|poe|nox|tox|composer|rake|hatch|mise|cargo|npm|pnpm|yarn|bun|pdm|rye)\b"
)
_WRAPPER_SCRIPTS = frozenset({"./mvnw", "./gradlew", "./configure"})
_SCRIPT_PATH = re.compile(
    r"\./(?:[\w-]+/)*[\w-]+(?:\.(?:sh|py|rb|pl|js|mjs))?|(?:bin|scripts?|tools|dev|ci|x)/(?:[\w-]+/)*[\w-]+(?:\.(?:sh|py|rb|pl|js|mjs))?"
    r"|[\w-]+\.sh"
)
_NEEDS_MORE = frozenset(
    {"pip", "pip3", "ruff", "pre-commit", "composer", "biome", "golangci-lint", "bundle"}
)
"""Programs that do nothing, or ask for more, when they are run alone."""
_MAKEFILES = frozenset(
    {"Makefile", "makefile", "GNUmakefile", "Makefile.am", "configure", "configure.ac"}
)
_FLAG = re.compile(r"\s+-{1,2}(?!s\b|e\b)[\w-]+(?:=\S+)?(?=\s|$)")
_PROGRAMS = frozenset(
    """
    make task just mage poe nox tox composer rake hatch mise cargo npm pnpm yarn bun pdm rye npx bunx uv uvx poetry
    pipenv pip pip3 python python3 py pytest ruff black mypy pyright flake8 pylint isort pre-commit prek tsc eslint
    prettier biome oxlint jest vitest mocha go gofmt gofumpt goimports golangci-lint gotestsum rustfmt mvn gradle sbt
    bundle rspec rubocop ruby gem php phpunit dotnet swift xcodebuild bazel bazelisk cmake ctest ninja meson autoreconf
    deno mix zig stack cabal lein flutter dart docker-compose turbo nx lerna rails node git sdk asdf ctest taplo php-cs-fixer
    phpstan clang-format terraform expo vite next flask uvicorn django-admin stylelint ktlint detekt swiftlint
    swiftformat staticcheck pixi conda opam dune scons buck buck2 pants ./configure msbuild black manage.py tsx dprint
    """.split()
)
_REFUSED = re.compile(
    r"^(?:git (?!submodule update)|mkdir |source |export |curl |wget |sudo |open |rm |cp |mv |ln |brew |apt|echo |cat |ls|ssh |code |"
    r"export|set |unset|docker (?!compose)|gh |pipx install|psql|kill|ps )|\.(?:cmd|bat|ps1)\b|^\.venv|\s[|>]|…|(?:^|\s)/path/|://|\.\.\.\s*$(?<!/\.\.\.)|\{\{|=\s*$|^py -|^python -m (?:venv|pdb|virtualenv)|venv"
)


@dataclass(frozen=True, slots=True)
class Book:
    """The tasks of a repository, and its files."""

    tasks: Mapping[str, Task] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()
    scripts: Mapping[str, str] = field(default_factory=dict)
    """The texts of shell scripts, by path."""
    runners: frozenset[str] = frozenset()
    """The runners whose tasks are all known here."""
    hooks_write: bool = False
    """Whether the hooks of pre-commit rewrite files."""

    def task_of(self, line: str) -> Task | None:
        """The task that `line` calls."""
        return self.tasks.get(key_of(line))

    def is_command(self, line: str) -> bool:
        """Whether `line` is a command that can be run here: its program is one, its task is known,
        its script is there."""
        if not len(line) > 2 or _REFUSED.search(line) or "\n" in line:
            return False
        if re.match(r"make(?:\s|$)", line) and self.paths.isdisjoint(_MAKEFILES):
            return False
        if line.count("(") != line.count(")") or line.count('"') % 2:
            return False
        bare = tools.bare(line)
        first = re.sub(r"^(?:env\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)+", "", line).split(" ")[0]
        if first in _PROGRAMS and " " not in line.strip():
            return bool(self.purposes(line)) and first not in _NEEDS_MORE
        if first in _PROGRAMS:
            return not self._is_unknown_task(line)
        script = first.removeprefix("./")
        if first in _WRAPPER_SCRIPTS or script.startswith("vendor/bin/"):
            return bool(bare)
        return script in self.paths and _SCRIPT_PATH.fullmatch(first) is not None

    def _is_unknown_task(self, line: str) -> bool:
        """Whether it calls a task of a runner whose tasks are known, and there is none such."""
        runner, _, name = key_of(line).partition(" ")
        own = runner in self.runners and bool(name)
        return own and f"{runner} {name}" not in self.tasks and not tools.purposes(line)

    def purposes(self, line: str, depth: int = 0) -> frozenset[str]:
        """What a command line does here."""
        task = self.task_of(line)
        if task is not None:
            return self.of_task(task, depth)
        found = tools.purposes(line)
        if "lint" in found and self.hooks_write and re.search(r"\b(?:pre-commit|prek) run\b", line):
            return found | {HOOKS_FORMAT}
        if found:
            return found
        script = tools.bare(line).split(" ")[0].removeprefix("./")
        if script in self.paths and depth < _DEEPEST:
            return self._of_script(script, depth)
        return frozenset()

    def of_task(self, task: Task, depth: int = 0) -> frozenset[str]:
        """What a task does: its name says it, and its body may not gainsay it."""
        named, _ = names.of_name(task.name)
        body = frozenset[str]()
        if depth < _DEEPEST:
            for line in task.body:
                for one in split(re.sub(r"\{\{.*?\}\}", "", line)):
                    body |= self.purposes(one, depth + 1)
        if (
            names.elsewhere(f"{task.name.replace('_', ' ').replace(':', ' ')} {task.words}")
            and named not in body
        ):
            return frozenset({ELSEWHERE})
        said = names.said_of(task.words) if not body else frozenset()
        sure = body or (said if len(said) == 1 else frozenset())
        if task.name == "install" and not body:
            return frozenset({ELSEWHERE})  # by custom it installs the product
        return _reconciled(named, sure, task.words)

    def _of_script(self, script: str, depth: int) -> frozenset[str]:
        name = script.rpartition("/")[2].partition(".")[0]
        named, far = names.of_name(name)
        if named == "install" or name == "restore":
            return frozenset({"install"})
        if named and far < 2 and name != "check":
            return frozenset({named})
        found = frozenset[str]()
        for line in self.scripts.get(script, "").splitlines():
            for one in split(line.strip()):
                inner = re.sub(r"^(?:if |! |\w+=\$\()+", "", one)
                found |= tools.purposes(inner) & {"test", "lint", "typecheck", CHECKS_FORMAT}
        return (found - {CHECKS_FORMAT}) | ({"lint"} if CHECKS_FORMAT in found else frozenset())


_WRITING_HOOK = re.compile(
    r"id:\s*(?:black|ruff-format|prettier|isort|yapf|autopep8|clang-format|gofmt|go-fmt|gofumpt|rustfmt|fmt|cargo-fmt|terraform_fmt|biome-(?:check|format))\b"
)


def _reconciled(named: str, body: frozenset[str], words: str) -> frozenset[str]:
    """What a task is for, by its name and by what it runs."""
    if not named or (named == "install" and body):
        return body
    if not body or named in body:
        writes = body & {"format", HOOKS_FORMAT} if named == "lint" else frozenset[str]()
        return (
            frozenset({named}) | (body & {"typecheck"} if named == "test" else frozenset()) | writes
        )
    if named == "format":
        return body  # a formatter that only reports, or one that repairs
    if named == "lint" and FIXES in body:
        return frozenset({FIXES})
    if named == "lint" and "format" in body and "lint" not in body:
        return (
            frozenset({"format", "lint"})
            if re.search(r"\bfix|writ", words) is None
            else frozenset({"format"})
        )
    return frozenset({named})


def key_of(line: str) -> str:
    """The runner and the task that a line calls, such as `npm test`; empty where it calls none."""
    bare = re.sub(r"^(?:env\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)+", "", line.strip())
    bare = re.sub(r"^bundle exec ", "", bare)
    match = _RUNS.match(bare)
    if match is None:
        return ""
    bare = _FLAG.sub("", bare)
    words = bare.split()
    runner = words[0]
    rest = [
        word
        for word in words[1:]
        if word not in ("run", "-s", "-e", "run-script", "--session", "xtask", "exec")
    ]
    if runner == "cargo" and "xtask" in words[1:2]:
        return f"cargo xtask {rest[0]}" if rest else ""
    if runner in ("npm", "pnpm", "yarn", "bun"):
        runner = "node"
    name = rest[0] if rest else "default"
    if runner == "nox":
        name = re.sub(r"-(?:\d[\d.]*|pypy\S*)$", "", name)
    return f"{runner} {name}"


def book_of(
    found: Sequence[Task], paths: frozenset[str], scripts: Mapping[str, str], hooks: str
) -> Book:
    """The book of the tasks found."""
    tasks = dict[str, Task]()
    for task in found:
        if key := key_of(task.line):
            tasks.setdefault(key, task)
    runners = {key.partition(" ")[0] for key in tasks} - {
        "cargo",
        "composer",
        "rake",
        "hatch",
        "tox",
        "mise",
    }
    return Book(tasks, paths, scripts, frozenset(runners), _WRITING_HOOK.search(hooks) is not None)
