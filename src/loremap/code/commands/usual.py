"""What follows from a command that is stated, and what such projects run where nothing is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from loremap.code.commands.book import Book
from loremap.code.commands.value import Said, Who
from loremap.code.documents.reading import json_data, or_empty, section, toml_data

_ONE: tuple[tuple[str, str], ...] = (
    (r"^(?:.*\s)?nox -s \S+", "{} -- <path>"),
    (r"^tox\b", "{} -- <path>"),
    (r"^hatch test\b", "hatch test <path>"),
    (r"\b(?:pytest|vitest|jest|mix test|bun test|deno test|rails test)\b", "{} <path>"),
    (r"manage\.py test\b", "{} <app>.tests.<module>"),
    (r"^cargo xtask test$|^cargo (?:test|nextest run)$", "{} <name>"),
    (r"^cargo test\b", "cargo test <name>"),
    (r"^swift test\b", "swift test --filter <TestName>"),
    (r"\b(?:simple-)?phpunit\b|\bpest\b", "{} --filter <name>"),
    (r"^go test\b", "go test -run <TestName> ./..."),
    (r"^(?:\./)?mvnw? ", "{tool} test -Dtest=<TestName>"),
    (r"^(?:\./)?gradlew? ", "{tool} test --tests <TestName>"),
    (r"^sbt ", 'sbt "testOnly <TestName>"'),
    (r"^ctest\b", "{} -R <name>"),
    (r"^bundle exec rspec\b", "bundle exec rspec <path>"),
)
_ONE_OF_BODY: tuple[tuple[str, str], ...] = (
    (r"gotestsum|go test", "go test -run <TestName> ./..."),
    (r"\b(?:jest|vitest|mocha|ava)\b", "{} <path>"),
    (r"\bpytest\b", "{} <path>"),
    (r"phpunit|pest", "vendor/bin/{program} --filter <name>"),
)
_TWINS: tuple[tuple[str, str], ...] = (
    (r"(.*\bprettier\b.*?)\s*(?:--check|-c|--list-different|-l)\b(.*)", r"\1 --write\2"),
    (r"(cargo (?:\+\S+ )?fmt.*?)\s+(?:--\s+)?--check\b.*", r"\1"),
    (r"((?:.* )?(?:black|ruff format|isort|yapf|mix format|deno fmt|terraform fmt|scalafmt|dprint).*?)\s+--(?:check|diff|check-formatted|check-only)\b(?:\s+--diff)?(.*)", r"\1\2"),
    (r"(gofmt|gofumpt|goimports)\s+-[ld]\b(.*)", r"\1 -w\2"),
    (r"(.*php-cs-fixer fix.*?)\s+--dry-run\b(?:.*)", r"\1"),
    (r"(.*\./gradlew )(.*)spotlessCheck.*", r"\1spotlessApply"),
    (r"(.*\./mvnw? ).*spotless:check.*", r"\1spotless:apply"),
    (r"(dotnet format.*?)\s+--verify-no-changes\b(.*)", r"\1\2"),
    (r"(taplo (?:format|fmt))\s+--check.*", r"\1"),
    (r"(.*\bbiome (?:check|format))(?!.*--write)(.*)", r"\1 --write\2"),
)  # fmt: skip


def one_test(test: Said, book: Book) -> Said | None:
    """How one test is run, where all are run as `test` says."""
    task = book.task_of(test.line)
    if test.line.startswith("make check") and "Makefile.am" in book.paths:
        return _after(test, "make check TESTS=<path>")
    if ".rspec" in book.paths and test.line.startswith("bundle exec rake"):
        return _after(test, "bundle exec rspec <path>")
    if task is not None:
        body = " ".join(task.body)
        if re.search(r"&&|;", body):
            return None
        for pattern, form in _ONE_OF_BODY:
            if found := re.search(pattern, body):
                dashes = (
                    " --"
                    if test.line.startswith(("npm ", "make ", "task ", "composer "))
                    and form == "{} <path>"
                    else ""
                )
                if test.line.startswith(("tox", "nox")):
                    dashes = " --"
                elif dashes and not test.line.startswith("npm "):
                    return None
                return _after(test, form.format(f"{test.line}{dashes}", program=found[0]))
    tool = test.line.split(" ")[0]
    for pattern, form in _ONE:
        if re.search(pattern, test.line):
            plain = re.sub(r"\s+--\s.*$", "", test.line) if form.startswith("{} --") else test.line
            return _after(test, form.format(plain, tool=tool))
    return None


def writing_twin(said: Said, runner: str, book: Book) -> Said | None:
    """The formatter that writes, of one that is run to check only."""
    task = book.task_of(said.line)
    lines = task.body if task is not None else (said.line,)
    for line in lines:
        for pattern, form in _TWINS:
            if re.fullmatch(pattern, line.strip()):
                twin = re.sub(pattern, form, line.strip())
                own = task is not None and task.file == "package.json"
                at = (
                    Said(line=twin, file=task.file, at=task.at, who=Who.DERIVED)
                    if task
                    else _after(said, twin)
                )
                prefix = {"npm": "npx ", "yarn": "yarn ", "pnpm": "pnpm exec ", "bun": "bunx "}.get(
                    runner, ""
                )
                return (
                    at
                    if not own
                    else Said(line=f"{prefix}{twin}", file=at.file, at=at.at, who=Who.DERIVED)
                )
    return None


def _after(said: Said, line: str) -> Said:
    return Said(line=line, file=said.file, at=said.at, who=Who.DERIVED, cwd=said.cwd)


Texts = Mapping[str, str]
Usual = Callable[[Texts, frozenset[str]], Iterator[tuple[str, str, str]]]


def _python(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    tools = _table("pyproject.toml", texts, "tool")
    lock = next(
        (
            tool
            for name, tool in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"))
            if name in paths
        ),
        "",
    )
    prefix = f"{lock} run " if lock else ""
    if lock:
        yield "install", "uv sync" if lock == "uv" else f"{lock} install", f"{lock}.lock"
    manage = sorted(
        (path for path in paths if path.rpartition("/")[2] == "manage.py"),
        key=lambda path: path.count("/"),
    )
    settled = (
        "pytest" in tools
        or "pytest.ini" in paths
        or "[tool:pytest]" in texts.get("setup.cfg", "")
        or "[pytest]" in texts.get("tox.ini", "")
    )
    if settled:
        yield "test", f"{prefix}pytest", "pyproject.toml"
    elif manage:
        yield "test", f"{prefix}python {manage[0]} test", manage[0]
    if manage:
        yield "run", f"{prefix}python {manage[0]} runserver", manage[0]
    hooks = texts.get(".pre-commit-config.yaml", "")
    if hooks:
        yield "lint", "pre-commit run --all-files", ".pre-commit-config.yaml"
    elif "ruff" in tools or "ruff.toml" in paths or ".ruff.toml" in paths:
        yield "lint", f"{prefix}ruff check .", "pyproject.toml"
    if "ruff-format" in hooks or section(tools, "ruff", "format"):
        yield "format", f"{prefix}ruff format .", "pyproject.toml"
    elif "black" in tools or "id: black" in hooks:
        yield "format", f"{prefix}black .", "pyproject.toml"
    checked = section(tools, "mypy")
    if "files" in checked or "packages" in checked:
        yield "typecheck", f"{prefix}mypy", "pyproject.toml"


def _node(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    manager = node_manager(texts, paths)
    if manager:
        yield "install", f"{manager} install", "package.json"


def _cargo(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    workspace = _table("Cargo.toml", texts, "workspace")
    yield (
        "test",
        f"cargo test{' --workspace' if 'default-members' in workspace else ''}",
        "Cargo.toml",
    )
    if "clippy.toml" in paths or ".clippy.toml" in paths:
        yield "lint", "cargo clippy", "clippy.toml"
    if "rustfmt.toml" in paths or ".rustfmt.toml" in paths:
        yield "format", "cargo fmt", "rustfmt.toml"


def _go(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    yield "test", "go test ./...", "go.mod"
    linted = next((path for path in sorted(paths) if re.fullmatch(r"\.golangci\.\w+", path)), "")
    if linted:
        yield "lint", "golangci-lint run", linted


def _maven(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    run = "./mvnw" if "mvnw" in paths else "mvn"
    yield "test", f"{run} test", "pom.xml"
    yield "build", f"{run} package", "pom.xml"
    if "spotless-maven-plugin" in texts.get("pom.xml", ""):
        yield "format", f"{run} spotless:apply", "pom.xml"


def _gradle(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    run = "./gradlew" if "gradlew" in paths else "gradle"
    file = "build.gradle.kts" if "build.gradle.kts" in texts else "build.gradle"
    yield "test", f"{run} test", file
    yield "build", f"{run} build", file
    if "spotless" in texts.get(file, ""):
        yield "format", f"{run} spotlessApply", file


def _composer(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    yield "install", "composer install", "composer.json"
    needs = {
        **_table("composer.json", texts, "require"),
        **_table("composer.json", texts, "require-dev"),
    }
    if "phpunit/phpunit" in needs:
        yield "test", "vendor/bin/phpunit", "composer.json"
    fixer = next(
        (path for path in (".php-cs-fixer.php", ".php-cs-fixer.dist.php") if path in paths), ""
    )
    if fixer:
        own = "vendor/bin/" if "friendsofphp/php-cs-fixer" in needs else ""
        yield "format", f"{own}php-cs-fixer fix", fixer
    elif "laravel/pint" in needs:
        yield "format", "vendor/bin/pint", "composer.json"


def _bundler(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    yield "install", "bundle install", "Gemfile"
    if ".rspec" in paths:
        yield "test", "bundle exec rspec", ".rspec"
    elif "bin/rails" in paths:
        yield "test", "bin/rails test", "bin/rails"
    if ".rubocop.yml" in paths:
        yield "lint", "bundle exec rubocop", ".rubocop.yml"


def _fixed(*lines: tuple[str, str, str]) -> Usual:
    def usual(texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        yield from lines

    return usual


_KINDS: tuple[tuple[str, str, str, Usual], ...] = (
    ("pip", r"pyproject\.toml|setup\.(?:cfg|py)|requirements\.txt|manage\.py", "py", _python),
    ("npm", r"package\.json", "js ts tsx jsx vue svelte", _node),
    ("cargo", r"Cargo\.toml", "rs", _cargo),
    ("go", r"go\.mod", "go", _go),
    ("maven", r"pom\.xml", "java kt scala", _maven),
    ("gradle", r"build\.gradle(?:\.kts)?", "java kt groovy", _gradle),
    ("sbt", r"build\.sbt", "scala", _fixed(("test", "sbt test", "build.sbt"), ("build", "sbt compile", "build.sbt"))),
    ("composer", r"composer\.json", "php", _composer),
    ("bundler", r"Gemfile", "rb erb", _bundler),
    ("dotnet", r"[^/]+\.(?:sln|slnx|csproj)", "cs fs vb", _fixed(("test", "dotnet test", ""), ("build", "dotnet build", ""))),
    ("swift", r"Package\.swift", "swift", _fixed(("test", "swift test", "Package.swift"), ("build", "swift build", "Package.swift"))),
    ("cmake", r"CMakeLists\.txt", "c cc cpp cxx h hpp", _fixed(("build", "cmake -B build && cmake --build build", "CMakeLists.txt"))),
    ("mix", r"mix\.exs", "ex exs", _fixed(("test", "mix test", "mix.exs"), ("format", "mix format", ".formatter.exs"), ("install", "mix deps.get", "mix.exs"))),
    ("deno", r"deno\.jsonc?", "ts js tsx", _fixed(("test", "deno test", "deno.json"), ("lint", "deno lint", "deno.json"), ("format", "deno fmt", "deno.json"))),
)  # fmt: skip
"""A tool, the file at the root that asks for it, the suffixes of its code, and what is usual."""


def main_tool(paths: frozenset[str]) -> str:
    """The tool of the root whose code has most files; empty if there is none."""
    counts = dict[str, int]()
    for path in paths:
        suffix = path.rpartition(".")[2]
        counts[suffix] = counts.get(suffix, 0) + 1
    at_root = [path for path in paths if "/" not in path]
    found = [
        (sum(counts.get(suffix, 0) for suffix in suffixes.split()), -order, tool)
        for order, (tool, file, suffixes, _) in enumerate(_KINDS)
        if any(re.fullmatch(file, path) for path in at_root)
    ]
    return max(found)[2] if found else ""


def usual(tool: str, texts: Texts, paths: frozenset[str]) -> Iterator[tuple[str, Said]]:
    """What a project of that tool runs for each purpose."""
    for name, _, _, reader in _KINDS:
        if name == tool:
            for purpose, line, file in reader(texts, paths):
                at = file or next(
                    (path for path in sorted(paths) if re.fullmatch(r"[^/]+\.slnx?", path)), ""
                )
                if at in paths:
                    yield purpose, Said(line=line, file=at, at=0, who=Who.USUAL)


def node_manager(texts: Texts, paths: frozenset[str]) -> str:
    """The package manager that package.json or a lock file asks for; empty if none does."""
    data = or_empty(json_data, texts.get("package.json", ""))
    asked = str(data.get("packageManager", "")).partition("@")[0]
    if asked in {"npm", "pnpm", "yarn", "bun"}:
        return asked
    locks = {
        "pnpm-lock.yaml": "pnpm",
        "yarn.lock": "yarn",
        "bun.lock": "bun",
        "bun.lockb": "bun",
        "package-lock.json": "npm",
    }
    return next((tool for lock, tool in locks.items() if lock in paths), "")


def _table(file: str, texts: Texts, *keys: str) -> dict[str, object]:
    read = toml_data if file.endswith(".toml") else json_data
    return section(or_empty(read, texts.get(file, "")), *keys)
