"""What a command line does, told by the program it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.commands.value import CHECKS_FORMAT, ELSEWHERE, FIXES

_ASSIGNED = re.compile(r"^(?:env\s+)?(?:[A-Z_][A-Z0-9_]*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_WRAPPERS = re.compile(
    r"^(?:(?:npx|pnpx|bunx|pipx run|uvx|xvfb-run(?: -a)?|time|nice|dotenv|cross-env|exec)\s+(?:--?\w\S*\s+)*"
    r"|(?:pnpm|npm|yarn|bun)\s+(?:exec|dlx|x)\s+(?:--\s+)?"
    r"|(?:pnpm|yarn)\s+(?=(?:vitest|jest|mocha|eslint|oxlint|prettier|biome|tsc|vue-tsc)\b)"
    r"|(?:uv|poetry|pdm|pipenv|rye|hatch|pixi)\s+run\s+(?:--?[\w-]+(?:[= ][\w.]+)?\s+)*"
    r"|go\s+run\s+[\w.-]+\.[a-z]+/\S+\s*|bundle\s+exec\s+|swift\s+run\s+(?:-c\s+\w+\s+)?|mise\s+(?:exec|x)\s+--\s+"
    r"|(?:python|py)[\d.]*\s+(?:-[^m\s]\S*\s+)*(?:-m\s+)?"
    r"|(?:@?php)\s+(?:-d\s?\S+\s+)*|@php\s+(?:-d\S+\s+)*|ruby\s+(?:-\S+\s+)*|node\s+(?=\S*bin)"
    r"|(?:\./)?(?:node_modules/\.bin|vendor/bin|\.venv/bin|venv/bin)/|\./(?=manage\.py|vendor/))"
)
_MAVEN = re.compile(r"^(?:\./)?mvnw?(?:\.cmd)?\s+(.*)$")
_GRADLE = re.compile(r"^(?:\./)?gradlew?(?:\.bat)?\s+(.*)$")
_WRITES = re.compile(
    r"(?:^|\s)(?:--write|--fix(?:-\S+)?|-w|-i|--in-place|-a|-A|--auto-?correct\S*|--apply)(?:\s|$)"
)
_CHECKS = re.compile(
    r"(?:^|\s)(?:--check\S*|-c|--diff|-d|-l|--list-different|--dry-run|-n|--verify-no-changes|--dry"
    r"|--set-exit-if-changed)(?:[\s=]|$)"
)
_ASKS = re.compile(r"(?:^|\s)(?:--help|--version|-V|--list|help\w*)(?:\s|$)")

_LEAVES: tuple[tuple[str, str], ...] = (
    (ELSEWHERE, (r"mkdocs|sphinx-build|jekyll|hugo serve|vitepress|docusaurus|typedoc|yard|javadoc|mike|rustdoc"
     r"|cargo doc|docker (?:run|build)|goreleaser|npm publish|twine|gh |helm |terraform (?!fmt)|kubectl|changeset")),
    ("test", (r"(?:make check|pytest|py\.test|tox|unittest|jest|vitest|mocha|ava|jasmine|tap|uvu|karma start|rspec"
     r"|(?:simple-)?phpunit|pest|paratest|ctest|gotestsum|nosetests|busted|bats|prove|elm-test|runtests\S*"
     r"|(?:\S+/)?(?:run-?tests?|runtests)(?:\.\w+)?|trial|stestr|robot|artisan test|turbo (?:run )?test"
     r"|go (?:\S+ )?test|cargo (?:\+\S+ )?(?:nextest|test|hack \S* ?test)|swift test|dotnet test|mix test|bun test|deno test"
     r"|hatch test|meson test|ninja test|zig build test|sbt .*\btest|bazel(?:isk)? test|stack test|cabal test|lein test"
     r"|flutter test|dart test|(?:\S*/)?rails test|(?:\S*/)?manage\.py test|node (?:\S+ )*--test|xcodebuild .*\btest|nx (?:run-many .*)?test|lerna run test)\b")),
    ("typecheck", (r"(?:mypy|pyright|basedpyright|ty check|pyre|vue-tsc|tsc|flow check|psalm|dialyzer|mix dialyzer|srb tc"
     r"|turbo (?:run )?(?:type-?check|tsc)|svelte-check|steep check|sorbet)\b")),
    ("static", r"phpstan\b"),
    ("fmt", (r"(?:black|ruff format|prettier|gofmt|gofumpt|goimports|go fmt|cargo (?:\+\S+ )?fmt|rustfmt|clang-format"
     r"|swift-?format|swift format|mix format|dotnet format|biome format|php-cs-fixer|pint|phpcbf|golangci-lint fmt|isort|scalafmt\S*"
     r"|sbt scalafmt\w*|terraform fmt|deno fmt|yapf|autopep8|dprint fmt|taplo (?:format|fmt)|oxfmt|google-java-format|ktfmt|zig fmt|erb_lint|stylua|nixfmt|gci write)\b")),
    ("linter", (r"(?:ruff(?: check)?|flake8|pylint|eslint|oxlint|biome (?:check|lint|ci)|golangci-lint|go vet|staticcheck|revive"
     r"|cargo (?:\+\S+ )?clippy|rubocop|standardrb|stylelint|shellcheck|phpcs|checkstyle|ktlint|detekt|swiftlint(?![-\w])|credo|mix credo"
     r"|pre-commit run|prek run|lefthook run|hatch (?:check|fmt)|next lint|deno lint|tslint|xo|turbo (?:run )?lint|clang-tidy|cpplint|cppcheck|scalafix|nx (?:run-many .*)?lint|bandit|djlint|haml-lint|lint-imports)\b")),
    ("install", (r"(?:pip3? install (?=.*(?:-e|-r|--editable|--requirement|--group|\s\.))|poetry install|uv sync|uv pip install (?=.*(?:-e|-r))|pdm install|pipenv install|rye sync"
     r"|pixi install|(?:npm|pnpm|bun) (?:install|i|ci)\s*(?:--?\S+\s*)*$|yarn(?: install)?\s*(?:--?\S+\s*)*$|bundle(?:r)?(?: install)?\s*(?:--?\S+\s*)*$|composer(?:\.phar)? install|(?:\S*/)?composer(?:\.phar)? install|go mod download|mise install|asdf install"
     r"|mix deps\.get|mix setup|dotnet restore|sdk env install|hatch env create|git submodule update|autoreconf|shards install|(?:\S*/)?bin/setup|script/(?:setup|bootstrap)|conda env create|opam install \.|cabal update|devbox shell|nix develop|mise trust)")),
    ("tool", r"(?:pip3? install [\w.-]+\s*$|cargo install (?:--locked )?[a-z][\w-]*\s*$|go install [\w.-]+\.[a-z]+/\S+|npm install -g|brew bundle|dotnet tool restore|corepack enable)"),
    ("build", (r"(?:go build|go install\b(?!.*@)(?!\s+[\w.-]+\.[a-z]+/)|cargo (?:\+\S+ )?build|swift build|dotnet (?:build|publish)|hatch build|poetry build|uv build|flit build|vite build|next build|nuxt build|webpack|rollup|esbuild|tsup|tsdown|unbuild|turbo (?:run )?build"
     r"|turbo build|nx (?:run-many .*)?build|build(?= |$)|cmake (?:--build|--workflow|-B|-S)|ninja\b|meson (?:compile|setup)|bazel(?:isk)? build|sbt (?:compile|package|assembly)|mix compile|zig build|stack build|cabal build|make\s*(?:-j\s*\S*)?\s*$|gem build|pkg |lerna run build|xcodebuild|msbuild|electron-builder|parcel build|astro build|gulp build|scons)")),
    ("run", r"(?:cargo (?:\+\S+ )?run|go run(?! [\w.-]+\.[a-z]+/)|dotnet run|dotnet watch|swift run|(?:\S*/)?manage\.py runserver|flask run|uvicorn|gunicorn|(?:\S*/)?rails (?:s|server)\b|expo (?:start|run)|vite(?: dev)?\s*$|next (?:dev|start)|nuxt dev|remix dev|astro dev|nodemon|ts-node|tsx|php artisan serve|artisan serve|mix phx\.server|docker[ -]compose up|foreman start|(?:\S*/)?bin/dev|air\b|flutter run|sbt run|react-native (?:start|run)|turbo (?:run )?dev|electron \.|streamlit run|node \S+\.m?js)"),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(rf"(?:{pattern})", re.ASCII)) for name, pattern in _LEAVES)
_GOALS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"format"}), r"spotlessApply|spotless:apply|spring-javaformat:apply|formatter:format|fmt:format|ktlintFormat|javafmtAll"),
    (frozenset({"lint"}), r"spotlessCheck|spotless:check|checkstyle\S*|detekt\S*|ktlintCheck|lintKotlin|spring-javaformat:validate|pmd\S*|(?:^|[\s:])lint\S*$"),
    (frozenset({"run"}), r"bootRun|spring-boot:run|quarkus:dev|(?:^|[\s:])run\S*$|exec:java"),
    (frozenset({"build"}), r"-DskipTests|assemble\b|(?:^|\s)(?:compile|classes)\b|-x test"),
    (frozenset({"build", "test"}), r"(?:^|[\s:])(?:package|install|build)\b"),
    (frozenset({"test"}), r"(?:^|[\s:])(?:test\w*|verify|check|integrationTest)\b"),
)  # fmt: skip
"""Goals of Maven and Gradle, the most telling first."""


def bare(line: str) -> str:
    """`line` without assignments before it and without the programs that only start another."""
    line = _ASSIGNED.sub("", line.strip())
    while (shorter := _WRAPPERS.sub("", line, count=1)) != line:
        line = _ASSIGNED.sub("", shorter)
    return line


def purposes(line: str) -> frozenset[str]:
    """What a single command does, as far as its program tells; empty where that is unknown."""
    line = _ASSIGNED.sub("", line.strip())
    if _ASKS.search(line):
        return frozenset({ELSEWHERE})
    for tool in (_MAVEN, _GRADLE):
        if match := tool.match(line):
            return _goals(match[1])
    return frozenset(_of_leaf(bare(line))) | frozenset(_of_leaf(line))


def fetches_tool(line: str) -> bool:
    """Whether it installs a program rather than what this project needs."""
    return dict(_COMPILED)["tool"].match(bare(line)) is not None


def packs(line: str) -> bool:
    """Whether it makes what is published rather than what is worked with."""
    return re.search(r"-m build\b|\btwine\b|gem build|sdist|bdist", line) is not None


def _goals(goals: str) -> frozenset[str]:
    found = (names for names, pattern in _GOALS if re.search(pattern, goals))
    return next(found, frozenset())


def _of_leaf(line: str) -> Iterator[str]:
    name = next((name for name, pattern in _COMPILED if pattern.match(line)), "")
    if name == "fmt":
        writes = _WRITES.search(line) is not None
        needs_flag = re.match(
            r"prettier|gofmt|gofumpt|goimports|clang-format|swift-?format|biome", line
        )
        reports = _CHECKS.search(line) is not None and not re.match(r"php-cs-fixer.* -c ", line)
        yield "format" if writes or not (reports or needs_flag) else CHECKS_FORMAT
    elif name == "linter":
        yield from _of_linter(line)
    elif name == "static":
        yield from ("typecheck", "lint")
    elif name == "tool":
        yield "install"
    elif name == "typecheck" and re.match(
        r"tsc(?:\s+(?:-b|--build|-p \S+|--project \S+))*\s*$", line
    ):
        yield from ("typecheck", "build")
    elif name:
        yield name


def _of_linter(line: str) -> Iterator[str]:
    if re.match(r"hatch fmt", line):
        yield CHECKS_FORMAT if "--check" in line else "format"
        if "--check" in line:
            yield "lint"
    elif re.match(r"biome check.*--(?:write|apply|fix)|hatch check.*--fix", line):
        yield from ("format", FIXES)
    elif _WRITES.search(line) and not re.match(r"pre-commit|prek|cargo|go vet|shellcheck", line):
        yield FIXES
    else:
        yield "lint"
        if line.startswith("hatch check"):
            yield "typecheck"
