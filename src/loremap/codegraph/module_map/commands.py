"""How a project is built, tested and checked, from its manifests, task files and CI."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from loremap.codegraph.module_map.ci_files import run_lines
from loremap.codegraph.module_map.ecosystems import Ecosystem, ecosystems
from loremap.codegraph.module_map.manifests import Manifest
from loremap.codegraph.module_map.project_view import ProjectView
from loremap.codegraph.module_map.task_files import Task, just_tasks, make_tasks
from loremap.model.module import BuildSystem

MOST_COMMANDS = 14
PURPOSES = ("test", "lint", "build", "run", "format", "typecheck", "install", "docs", "bench")

_NAMED = {
    "test": ("test", "tests", "unit", "test-all", "test-unit", "unittest", "unit-test", "py3"),
    "lint": ("lint", "lints", "linter", "style", "lint-all", "eslint", "flake8", "linting", "vet"),
    "build": ("build", "compile", "dist", "all", "package"),
    "run": ("run", "start", "serve", "dev", "server", "up"),
    "format": ("format", "fmt", "prettier", "black"),
    "typecheck": ("typecheck", "type-check", "typing", "types", "mypy", "tsc", "check-types"),
    "install": ("install", "setup", "bootstrap", "init", "deps", "develop"),
    "docs": ("docs", "doc"),
    "bench": ("bench", "benchmark", "benchmarks"),
}
_LATE = {"test": ("check", "ci", "tox"), "lint": ("check", "pre-commit")}
"""Names that mean the purpose only where no clearer one does."""

_IN_CI = {
    "test": re.compile(
        r"^(?:[\w/.\-]+ run )?(?:python[\d.]* (?:-\S+ )*(?:-m )?)?(?:\S*runtests\S*|\S*/?pytest|"
        r"unittest|tox|nox|go test|cargo (?:test|nextest)|(?:npm|pnpm|yarn|bun)(?: run)? test|"
        r"make (?:test|check)|ctest|mvn\S* .*(?:test|verify)|\./gradlew .*(?:test|check|build))\b"
    ),
    "lint": re.compile(
        r"^(?:[\w/.\-]+ run )?(?:ruff check|flake8|pylint|eslint|biome (?:check|lint|ci)|"
        r"golangci-lint run|cargo clippy|pre-commit run|rubocop|"
        r"(?:npm|pnpm|yarn|bun)(?: run)? lint)\b"
    ),
    "typecheck": re.compile(r"^(?:[\w/.\-]+ run )?(?:mypy|pyright|tsc)\b"),
}


def build_system(project: ProjectView, manifests: Sequence[Manifest]) -> BuildSystem:
    """The tool that builds a project, and its commands by purpose, the most usual first."""
    found = ecosystems(project, manifests)
    own = [*_task_files(project.texts), *(task for one in found for task in one.tasks)]
    commands = by_purpose(own)
    for ecosystem in found[:1]:
        for purpose, command in ecosystem.usual.items():
            commands.setdefault(purpose, command)
    for purpose, command in _from_ci(project.texts).items():
        commands.setdefault(purpose, command)
    ordered = {purpose: commands[purpose] for purpose in PURPOSES if purpose in commands}
    for task in _told(own, taken=frozenset(ordered.values())):
        if len(ordered) < MOST_COMMANDS:
            ordered.setdefault(task.name, f"{task.command}  # {task.said}")
    return BuildSystem(tool=_tool(found, own), commands=ordered)


def _tool(found: Sequence[Ecosystem], own: Sequence[Task]) -> str:
    if found:
        return found[0].tool
    return own[0].command.split()[0] if own else ""


def _task_files(texts: Mapping[str, str]) -> list[Task]:
    found = list[Task]()
    for name in ("Makefile", "makefile", "GNUmakefile"):
        found += make_tasks(texts.get(name, ""))
    for name in ("justfile", "Justfile"):
        found += just_tasks(texts.get(name, ""))
    return found


def by_purpose(tasks: Iterable[Task]) -> dict[str, str]:
    """The command for each purpose, by the names of `tasks`; the first of a name counts."""
    named: dict[str, str] = {}
    for task in tasks:
        named.setdefault(re.sub(r"[:_.]", "-", task.name.lower()), task.command)
    commands: dict[str, str] = {}
    for names_of in (_NAMED, _LATE):
        for purpose, names in names_of.items():
            for name in names:
                if name in named and named[name] not in commands.values():
                    commands.setdefault(purpose, named[name])
    return commands


def _told(tasks: Iterable[Task], *, taken: frozenset[str]) -> list[Task]:
    """Further tasks that the project itself explains in a few words."""
    return [
        task
        for task in tasks
        if task.command not in taken and len(task.said.split()) >= 2 and len(task.said) <= 80
    ]


def _from_ci(texts: Mapping[str, str]) -> dict[str, str]:
    """What CI runs most often for each purpose."""
    lines = run_lines(texts)
    commands: dict[str, str] = {}
    for purpose, pattern in _IN_CI.items():
        fit = Counter(line for line in lines if pattern.match(line) and len(line) <= 120)
        if fit:
            commands[purpose] = min(fit, key=lambda line: (-fit[line], len(line), line))
    return commands
