"""The package ecosystems of a project: the tool of each, its tasks and its usual commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loremap.codegraph.module_map.manifests import Manifest, table, word, words_under
from loremap.codegraph.module_map.packages import declared_in
from loremap.codegraph.module_map.project_view import ProjectView
from loremap.codegraph.module_map.task_files import Task, node_tasks, python_tasks, script_tasks


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """One way of building that a project uses."""

    tool: str
    usual: Mapping[str, str] = field(default_factory=dict)
    """What such projects run for each purpose, where they say nothing of their own."""
    tasks: Sequence[Task] = ()


Reader = Callable[[Sequence[Manifest], ProjectView], Ecosystem]


def ecosystems(project: ProjectView, manifests: Sequence[Manifest]) -> list[Ecosystem]:
    """The ecosystems of a project's root, the one of most of its code first.

    Where the root has no manifest, those nearest to it count.
    """
    depth = min(
        (manifest.folder.count("/") + bool(manifest.folder) for manifest in manifests), default=0
    )
    near = [m for m in manifests if m.folder.count("/") + bool(m.folder) == depth]
    lines: Counter[str] = Counter()
    for file in project.files:
        lines[file.language] += file.lines
    found = list[tuple[int, int, Ecosystem]]()
    for order, (names, languages, reader) in enumerate(_READERS):
        own = [manifest for manifest in near if re.fullmatch(names, manifest.file)]
        if own or (names == "CMakeLists.txt" and names in project.paths):
            weight = sum(lines[language] for language in languages)
            found.append((-weight, order, reader(own, project)))
    return [ecosystem for _, _, ecosystem in sorted(found, key=lambda one: one[:2])]


def _node(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    tool = node_tool(manifests[0], frozenset(project.paths))
    return Ecosystem(
        tool,
        {"install": f"{tool} install"},
        [task for manifest in manifests[:1] for task in node_tasks(manifest, tool)],
    )


def node_tool(manifest: Manifest, paths: frozenset[str]) -> str:
    """The package manager that a package.json or its lock file asks for."""
    asked = word(manifest.data, "packageManager").partition("@")[0]
    if asked in {"npm", "pnpm", "yarn", "bun"}:
        return asked
    locks = {
        "pnpm-lock.yaml": "pnpm",
        "yarn.lock": "yarn",
        "bun.lock": "bun",
        "bun.lockb": "bun",
        "package-lock.json": "npm",
    }
    prefix = f"{manifest.folder}/" if manifest.folder else ""
    return next((tool for lock, tool in locks.items() if prefix + lock in paths), "npm")


def _python(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    data: dict[str, object] = {}
    for manifest in reversed(manifests):
        data |= manifest.data
    tools, paths = table(data, "tool"), frozenset(project.paths)
    tool = _python_tool(tools, paths)
    prefix = f"{tool} run " if tool in {"uv", "poetry", "pdm", "pipenv", "hatch"} else ""
    usual: dict[str, str] = {}
    needs = {name.lower() for manifest in manifests for name in declared_in(manifest)}
    if _has_pytest(tools, project.texts, needs, paths):
        usual["test"] = f"{prefix}pytest"
    if ".pre-commit-config.yaml" in paths:
        usual["lint"] = "pre-commit run --all-files"
    elif "ruff" in tools or "ruff" in needs:
        usual["lint"] = f"{prefix}ruff check ."
    if "ruff" in tools or "black" in tools:
        usual["format"] = f"{prefix}{'ruff format' if 'black' not in tools else 'black'} ."
    if "mypy" in tools or "pyright" in tools:
        usual["typecheck"] = f"{prefix}{'mypy' if 'mypy' in tools else 'pyright'}"
    installs = {"uv": "uv sync", "poetry": "poetry install", "pdm": "pdm install"}
    usual["install"] = installs.get(tool, "pip install -e .")
    tasks = python_tasks(manifests, project.texts)
    if "test" in usual:  # quicker and plainer than every environment of tox
        tasks = [task for task in tasks if task.command not in {"tox", "tox run"}]
    return Ecosystem(tool, usual, tasks)


def _python_tool(tools: Mapping[str, object], paths: frozenset[str]) -> str:
    for lock, tool in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm")):
        if lock in paths:
            return tool
    for tool in ("uv", "poetry", "pdm"):
        if tool in tools:
            return tool
    if table(tools, "hatch", "envs"):
        return "hatch"
    return "pipenv" if "Pipfile" in paths else "pip"


def _has_pytest(
    tools: Mapping[str, object], texts: Mapping[str, str], needs: set[str], paths: frozenset[str]
) -> bool:
    return (
        "pytest" in tools
        or "pytest" in needs
        or "pytest.ini" in paths
        or "[tool:pytest]" in texts.get("setup.cfg", "")
        or "[pytest]" in texts.get("tox.ini", "")
        or any(path.rpartition("/")[2] == "conftest.py" for path in paths)
    )


def _deno(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    tasks = words_under(table(manifests[0].data, "tasks"))
    usual = {"test": "deno test", "lint": "deno lint", "format": "deno fmt"}
    return Ecosystem("deno", usual, script_tasks(tasks, runner="deno task"))


def _cargo(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    usual = {
        "build": "cargo build",
        "test": "cargo test",
        "lint": "cargo clippy --all-targets",
        "format": "cargo fmt",
    }
    if any(path in project.paths for path in ("src/main.rs", "main.rs")):
        usual["run"] = "cargo run"
    return Ecosystem("cargo", usual)


def _go(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    linted = any(path.startswith(".golangci.") for path in project.paths)
    usual = {
        "build": "go build ./...",
        "test": "go test ./...",
        "lint": "golangci-lint run" if linted else "go vet ./...",
        "format": "gofmt -w .",
    }
    return Ecosystem("go", usual)


def _maven(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    run = "./mvnw" if "mvnw" in project.paths else "mvn"
    return Ecosystem("maven", {"build": f"{run} package", "test": f"{run} test"})


def _gradle(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    run = "./gradlew" if "gradlew" in project.paths else "gradle"
    return Ecosystem(
        "gradle", {"build": f"{run} build", "test": f"{run} test", "lint": f"{run} check"}
    )


def _composer(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    scripts = [
        name for name in words_under(table(manifests[0].data, "scripts")) if "-cmd" not in name
    ]
    usual = {"install": "composer install", "test": "vendor/bin/phpunit"}
    return Ecosystem("composer", usual, script_tasks(scripts, runner="composer run"))


def _bundler(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    rspec = "rspec" in project.texts.get("Gemfile", "") or ".rspec" in project.paths
    usual = {
        "install": "bundle install",
        "test": f"bundle exec {'rspec' if rspec else 'rake test'}",
    }
    if ".rubocop.yml" in project.paths:
        usual["lint"] = "bundle exec rubocop"
    return Ecosystem("bundler", usual)


def _dotnet(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    return Ecosystem(
        "dotnet", {"build": "dotnet build", "test": "dotnet test", "format": "dotnet format"}
    )


def _cmake(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    usual = {"build": "cmake -B build && cmake --build build", "test": "ctest --test-dir build"}
    return Ecosystem("cmake", usual)


def _swift(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    return Ecosystem("swift", {"build": "swift build", "test": "swift test"})


def _sbt(manifests: Sequence[Manifest], project: ProjectView) -> Ecosystem:
    return Ecosystem("sbt", {"build": "sbt compile", "test": "sbt test", "run": "sbt run"})


_SCRIPTS = ("javascript", "typescript", "tsx", "jsx")
_JVM = ("java", "kotlin", "scala")
_READERS: tuple[tuple[str, tuple[str, ...], Reader], ...] = (
    (r"pyproject\.toml|setup\.(cfg|py)", ("python",), _python),
    (r"package\.json", _SCRIPTS, _node),
    (r"deno\.jsonc?", _SCRIPTS, _deno),
    (r"Cargo\.toml", ("rust",), _cargo),
    (r"go\.mod", ("go",), _go),
    (r"pom\.xml", _JVM, _maven),
    (r"build\.gradle(\.kts)?", _JVM, _gradle),
    (r"build\.sbt", _JVM, _sbt),
    (r"composer\.json", ("php",), _composer),
    (r".*\.gemspec", ("ruby",), _bundler),
    (r".*\.csproj", ("csharp", "c_sharp"), _dotnet),
    (r"Package\.swift", ("swift",), _swift),
    ("CMakeLists.txt", ("c", "cpp"), _cmake),
)
