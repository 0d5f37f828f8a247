"""The commands of a project: read from everything that states one, each with its source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from loremap.code.commands import names, tools
from loremap.code.commands.book import Book, book_of
from loremap.code.commands.choose import candidates, chosen
from loremap.code.commands.stated import stated
from loremap.code.commands.tasks import tasks
from loremap.code.commands.usual import main_tool, node_manager, one_test, usual, writing_twin
from loremap.code.commands.value import (
    CHECKS_FORMAT,
    HOOKS_FORMAT,
    PURPOSES,
    Candidate,
    Said,
    Who,
)
from loremap.code.commands.workflows import said_in_ci
from loremap.code.documents.guides import Guides, guides
from loremap.model.hostile import speaks_to_a_model
from loremap.model.module import BuildSystem

_ROOT = re.compile(
    r"[^/]*(?:akefile|askfile\.ya?ml|ustfile)|package\.json|composer\.json|pyproject\.toml|hatch\.toml|tox\.ini|noxfile\.py|setup\.cfg"
    r"|magefiles?/?\w*\.go|Rakefile|\.cargo/config(?:\.toml)?|(?:crates/)?xtask/src/(?:main|flags)\.rs|CMakePresets\.json|\.?mise\.toml"
    r"|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|\.pre-commit-config\.yaml|Taskfile\.dist\.ya?ml"
    r"|\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.circleci/config\.ya?ml|azure-pipelines\.ya?ml"
)
_SCRIPT = re.compile(r"(?:(?:scripts?|bin|tools|dev|ci)/)?[\w-]+(?:\.sh)?")
_INSTALLS = {
    "pip": re.compile(
        r"pip3? install (?!.*-r \S+/)|uv sync|poetry install|pdm install|hatch env create"
    ),
    "npm": re.compile(r"(?:npm|pnpm|yarn|bun)\b"),
    "bundler": re.compile(r"bundle\b"),
    "composer": re.compile(r"composer\b"),
    "mix": re.compile(r"mix\b"),
    "go": re.compile(r"go mod download"),
    "dotnet": re.compile(r"dotnet restore"),
}
"""How CI sets up a project of that tool; what else it installs is for something else."""
_OF_A_PART = (
    *("package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "Makefile", "pom.xml"),
    *("build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "CMakeLists.txt", "mix.exs"),
)
_WITNESS = frozenset({"test", "lint", "typecheck", "build", "install"})
"""What CI is believed about; how it formats or runs is for machines."""

Read = Callable[[str], str]


def project_commands(paths: Iterable[str], read: Read) -> BuildSystem:
    """How a project is tested, checked, built and run; `read` gives a file's text, or nothing."""
    every = frozenset(paths)
    texts = {path: text for path in sorted(every) if _ROOT.fullmatch(path) and (text := read(path))}
    runner = node_manager(texts, every)
    scripts = {
        path: read(path)
        for path in sorted(every)
        if _SCRIPT.fullmatch(path) and path.endswith(".sh")
    }
    hooks = texts.get(".pre-commit-config.yaml", "")
    book = book_of(tasks(texts, runner or "npm"), every, scripts, hooks)
    said, forbidden = _documents(guides(every, read), book)
    said += [replace(one, words="") for one in said_in_ci(texts) if book.is_command(one.line)]
    said = [placed for one in said if (placed := _placed(one, every)) is not None]
    tool = main_tool(every)
    found = [one for one in candidates(said, book) if _is_believed(one, book, tool)]
    found += _of_tasks(book, tool)
    best = chosen(found, forbidden)
    best |= _derived(best, said, book, runner, forbidden)
    spare = [Candidate(said=one, purpose=purpose) for purpose, one in usual(tool, texts, every)]
    best = _spared(chosen(spare, forbidden), best) | best
    best |= _one_test(best, book)
    lines = {purpose: one.said for purpose, one in best.items()}
    return _system(runner if tool == "npm" and runner else tool, lines)


_CHECKS = frozenset({"lint", "format", "typecheck"})


def _spared(
    usual_ones: Mapping[str, Candidate], best: Mapping[str, Candidate]
) -> dict[str, Candidate]:
    """What is usual, but no checks beside those that a document states: these are the ones."""
    told = any(p in best and best[p].said.who <= Who.GUIDE for p in _CHECKS)
    return {p: one for p, one in usual_ones.items() if not (told and p in _CHECKS)}


def _one_test(best: Mapping[str, Candidate], book: Book) -> dict[str, Candidate]:
    """How one test is run, where that is not stated, or by a lesser voice and for a special case."""
    test, stated_one = best.get("test"), best.get("test_one")
    if test is None:
        return {}
    lesser = stated_one is not None and stated_one.narrow and stated_one.said.who > test.said.who
    said = one_test(test.said, book) if stated_one is None or lesser else None
    return {} if said is None else {"test_one": Candidate(said=said, purpose="test_one")}


def _system(tool: str, best: Mapping[str, Said]) -> BuildSystem:
    kept = {
        purpose: best[purpose]
        for purpose in PURPOSES
        if purpose in best and not speaks_to_a_model(best[purpose].line)
    }
    return BuildSystem(
        tool=tool,
        commands={purpose: one.line for purpose, one in kept.items()},
        folders={purpose: one.cwd for purpose, one in kept.items() if one.cwd},
        sources={purpose: one.source for purpose, one in kept.items()},
    )


def _documents(found: Guides, book: Book) -> tuple[list[Said], list[str]]:
    said, forbidden = list[Said](), list[str]()
    for who, group in (
        (Who.INSTRUCTIONS, found.instructions),
        (Who.GUIDE, found.guides),
        (Who.README, found.readmes),
    ):
        for path, text in group:
            told = stated(path, text, who, is_command=book.is_command)
            said += told.said
            forbidden += told.forbidden
    return said, forbidden


def _placed(one: Said, paths: frozenset[str]) -> Said | None:
    """`one` with the folder it is run in; None where that is a part of the project only."""
    # `cd name` after a clone enters the root; a part has files of its own to build by
    cwd = one.cwd if any(f"{one.cwd}/{name}" in paths for name in _OF_A_PART) else ""
    script = next(
        (
            word
            for word in one.line.split(" ")[:3]
            if re.fullmatch(r"(?:\./)?[\w-]+\.(?:py|sh)", word)
        ),
        "",
    )
    script = script.removeprefix("./")
    if script and script not in paths:
        holders = sorted(
            (p for p in paths if p.rpartition("/")[2] == script), key=lambda p: p.count("/")
        )
        if len(holders) == 1 or (holders and holders[0].count("/") == 1):
            return replace(one, cwd=holders[0].rpartition("/")[0])
    return None if cwd else replace(one, cwd="")


def _is_believed(one: Candidate, book: Book, tool: str) -> bool:
    """Whether who says it may be believed: CI also packs, fetches tools and serves machines."""
    if one.said.who is not Who.CI:
        return True
    known = book.task_of(one.said.line) is not None or tools.purposes(one.said.line)
    own = _INSTALLS.get(tool)
    if one.purpose == "install" and (own is None or not own.match(tools.bare(one.said.line))):
        return False
    machine = tools.fetches_tool(one.said.line) or tools.packs(one.said.line)
    return one.purpose in _WITNESS and not (one.said.cwd or one.narrow or machine) and bool(known)


def _of_tasks(book: Book, tool: str) -> Iterator[Candidate]:
    for task in book.tasks.values():
        if task.cwd:
            continue
        aside = task.file == "package.json" and tool not in ("npm", "")
        named, far = names.of_name(task.name)
        does = book.of_task(task)
        for purpose in does - {HOOKS_FORMAT}:
            plain = purpose == named and far == 0
            special = names.special(task.name) + names.special(task.words)
            who = Who.TASK if plain and not special and not aside else Who.LOOSE_TASK
            if (aside and purpose in ("build", "run", "install")) or (purpose == "run" and far):
                continue
            said = Said(line=task.line, file=task.file, at=task.at, who=who, words=task.words)
            if purpose == "install" and (named, far) != ("install", 0):
                continue
            if purpose in PURPOSES and (who is Who.TASK or special == 0):
                yield Candidate(said=said, purpose=purpose, narrow=far + special)
        if HOOKS_FORMAT in does and not names.special(task.name):
            said = Said(line=task.line, file=task.file, at=task.at, who=Who.LOOSE_TASK)
            yield Candidate(said=said, purpose="format", narrow=3)


def _derived(
    best: Mapping[str, Candidate], said: list[Said], book: Book, runner: str, forbidden: list[str]
) -> dict[str, Candidate]:
    """The formatter that writes, where only its check is stated."""
    if "format" in best:
        return {}
    tasks_said = [
        Said(line=t.line, file=t.file, at=t.at, who=Who.TASK)
        for t in book.tasks.values()
        if not t.cwd
    ]
    for one in [*said, *tasks_said]:
        if CHECKS_FORMAT in book.purposes(one.line) and (twin := writing_twin(one, runner, book)):
            return chosen([Candidate(said=twin, purpose="format")], forbidden)
    return {}
