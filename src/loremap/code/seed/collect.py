"""The seeds of a repository: which files are looked for, who reads each, and what was left out."""

from __future__ import annotations

import re
import stat
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from loremap.code.documents.guides import DEEPEST as DEEPEST_GUIDE
from loremap.code.documents.guides import (
    DOCUMENT_FOLDERS,
    MAX_GUIDES,
    is_guide_path,
    is_weak_guide,
)
from loremap.code.seed.choose import chosen
from loremap.code.seed.compiled import (
    cargo_seeds,
    clang_format_seeds,
    go_mod_seeds,
    golangci_seeds,
    gradle_seeds,
    pom_seeds,
    rustfmt_seeds,
)
from loremap.code.seed.editorconfig import editorconfig_seeds
from loremap.code.seed.hooks import pre_commit_seeds
from loremap.code.seed.instructions import contributing_seeds, instruction_seeds
from loremap.code.seed.javascript import package_json_seeds, tsconfig_seeds
from loremap.code.seed.javascript_style import (
    biome_seeds,
    commitlint_seeds,
    eslint_script_seeds,
    eslint_seeds,
    prettier_script_seeds,
    prettier_seeds,
    stylelint_seeds,
)
from loremap.code.seed.python import pyproject_seeds, setup_cfg_seeds
from loremap.code.seed.python_style import flake8_seeds, mypy_seeds, pylint_seeds, ruff_seeds
from loremap.code.seed.readme import readme_seeds
from loremap.code.seed.scripting import composer_seeds, gemfile_seeds, rubocop_seeds
from loremap.code.seed.value import Reader, Seed, Source
from loremap.code.seed.versions import (
    rust_toolchain_seeds,
    tool_versions_seeds,
    version_file_seeds,
)
from loremap.errors import BadInput
from loremap.model.hostile import speaks_to_a_model

MAX_BYTES = 256 * 1024
"""A larger file is no file of conventions."""
DEEPEST_FOLDER = 4
MAX_FOLDERS = 4_000
_NOT_ENTERED = frozenset(
    """
    node_modules vendor third_party extern external dist build target out coverage fixtures testdata
    test_data examples templates site-packages venv env __pycache__
    """.split()
)

READERS: tuple[tuple[str, Reader], ...] = (
    (r"(?:claude|agents?|gemini|conventions)\.md", instruction_seeds),
    (
        r"\.claude/claude\.md|\.(?:cursorrules|windsurfrules|clinerules|rules|goosehints)",
        instruction_seeds,
    ),
    (
        r"\.(?:cursor/rules|windsurf/rules|clinerules|roo/rules)/[^/]+\.(?:mdc|md)",
        instruction_seeds,
    ),
    (r"\.github/copilot-instructions\.md|\.junie/guidelines\.md", instruction_seeds),
    (r"\.github/instructions/[^/]+\.instructions\.md", instruction_seeds),
    (r"(?:\.github/|docs/)?contributing(?:\.(?:md|rst|txt))?", contributing_seeds),
    (r"readme(?:\.(?:md|rst|txt))?", readme_seeds),
    (r"pyproject\.toml", pyproject_seeds),
    (r"setup\.cfg|tox\.ini", setup_cfg_seeds),
    (r"\.?ruff\.toml", ruff_seeds),
    (r"\.flake8", flake8_seeds),
    (r"\.?pylintrc", pylint_seeds),
    (r"\.?mypy\.ini", mypy_seeds),
    (r"package\.json", package_json_seeds),
    (r"tsconfig(?:\.base)?\.json", tsconfig_seeds),
    (r"\.prettierrc(?:\.(?:json|json5|ya?ml))?", prettier_seeds),
    (r"(?:\.prettierrc|prettier\.config)\.[cm]?[jt]s", prettier_script_seeds),
    (r"\.eslintrc(?:\.(?:json|ya?ml))?", eslint_seeds),
    (r"\.eslintrc\.[cm]?js|eslint\.config\.[cm]?[jt]s", eslint_script_seeds),
    (r"biome\.jsonc?", biome_seeds),
    (r"\.stylelintrc(?:\.(?:json|ya?ml))?", stylelint_seeds),
    (r"\.commitlintrc(?:\.\w+)?|commitlint\.config\.[cm]?[jt]s", commitlint_seeds),
    (r"\.pre-commit-config\.ya?ml", pre_commit_seeds),
    (r"\.editorconfig", editorconfig_seeds),
    (r"cargo\.toml", cargo_seeds),
    (r"\.?rustfmt\.toml", rustfmt_seeds),
    (r"rust-toolchain(?:\.toml)?", rust_toolchain_seeds),
    (r"go\.mod", go_mod_seeds),
    (r"\.golangci\.ya?ml", golangci_seeds),
    (r"pom\.xml", pom_seeds),
    (r"build\.gradle(?:\.kts)?", gradle_seeds),
    (r"\.clang-format", clang_format_seeds),
    (r"composer\.json", composer_seeds),
    (r"gemfile", gemfile_seeds),
    (r"\.rubocop\.ya?ml", rubocop_seeds),
    (r"\.(?:nvmrc|(?:node|python|ruby|go|java|terraform)-version)", version_file_seeds),
    (r"\.tool-versions", tool_versions_seeds),
)
"""Who reads which file, by its path from the root in lower case."""
_READERS = tuple((re.compile(pattern), reader) for pattern, reader in READERS)
_NESTED = re.compile(r"(?:claude|agents)\.md")
_FOLDERS = (
    "",
    ".github",
    ".github/instructions",
    "docs",
    ".claude",
    ".cursor/rules",
    ".windsurf/rules",
    ".clinerules",
    ".roo/rules",
    ".junie",
)


@dataclass(frozen=True, slots=True)
class Seeding:
    """What was found, most important first, and one line for each file that was left out."""

    seeds: tuple[Seed, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[Seed, ...] = ()
    """Less important ones that were found besides."""


def seeds(root: Path, *, readable: Callable[[Path], bool]) -> Seeding:
    """The conventions that the files of the repository at `root` state."""
    found, notes = list[Seed](), list[str]()
    names = dict[Path, str]()
    neighbours = frozenset(_names(root))
    for path, reader in _files(root, readable):
        try:
            real = _real(root, path, readable)
            if real is None:
                continue
            if real in names:
                found = [_also(seed, names[real], path) for seed in found]
                continue
            names[real] = path
            found += reader(Source(path, _text(real), neighbours))
        except BadInput as problem:
            notes.append(f"{path}: {problem.message}")
    hostile = {seed for seed in found if speaks_to_a_model(seed.text)}
    notes += _left_out(hostile)
    kept, left_out = chosen([seed for seed in found if seed not in hostile])
    return Seeding(tuple(kept), tuple(notes), tuple(left_out))


def _left_out(hostile: Collection[Seed]) -> Iterator[str]:
    """A line for each file of which something speaks to a model."""
    for file, count in sorted(Counter(seed.file for seed in hostile).items()):
        lines = "1 line speaks" if count == 1 else f"{count} lines speak"
        yield f"{file}: {lines} to a model and will not be remembered."


def _also(seed: Seed, first: str, path: str) -> Seed:
    """`seed` with the second name of its file, as where CLAUDE.md is a link to AGENTS.md."""
    return replace(seed, also_in=(*seed.also_in, path)) if seed.file == first else seed


def _files(root: Path, readable: Callable[[Path], bool]) -> Iterator[tuple[str, Reader]]:
    """The files that have a reader, in the order in which repetitions are settled."""
    paths = [
        f"{folder}/{name}" if folder else name
        for folder in _FOLDERS
        if (root / folder).resolve().is_relative_to(root.resolve())
        for name in sorted(_names(root / folder))
    ]
    for pattern, reader in _READERS:
        yield from ((path, reader) for path in paths if pattern.fullmatch(path.lower()))
    yield from ((path, instruction_seeds) for path in _nested(root, readable))
    known = frozenset(paths)
    yield from ((path, contributing_seeds) for path in _guides(root, readable) if path not in known)


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _nested(root: Path, readable: Callable[[Path], bool]) -> Iterator[str]:
    """Instruction files in folders below the root; no link followed, no hidden folder entered."""
    waiting = deque([(root, 0)])
    entered = 0
    while waiting and entered < MAX_FOLDERS:
        folder, depth = waiting.popleft()
        entered += 1
        for name in sorted(_names(folder)):
            path = folder / name
            if depth and _NESTED.fullmatch(name.lower()):
                yield path.relative_to(root).as_posix()
            elif depth < DEEPEST_FOLDER and _may_enter(path) and readable(path):
                waiting.append((path, depth + 1))


def _guides(root: Path, readable: Callable[[Path], bool]) -> Iterator[str]:
    """Guides for those who work on the code, in the folders that hold documents."""
    waiting = deque(
        root / name for name in sorted(_names(root)) if name.lower() in DOCUMENT_FOLDERS
    )
    entered, found = 0, 0
    while waiting and entered < MAX_FOLDERS and found < MAX_GUIDES:
        folder = waiting.popleft()
        if folder.is_symlink() or not folder.is_dir() or not readable(folder):
            continue
        entered += 1
        for name in sorted(_names(folder)):
            path = (folder / name).relative_to(root).as_posix()
            if is_guide_path(path) and not is_weak_guide(path) and (folder / name).is_file():
                found += 1
                yield path
            elif path.count("/") < DEEPEST_GUIDE and _may_enter(folder / name):
                waiting.append(folder / name)


def _may_enter(path: Path) -> bool:
    if path.name.startswith(".") or path.name.lower() in _NOT_ENTERED or "." in path.name:
        return False
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _real(root: Path, path: str, readable: Callable[[Path], bool]) -> Path | None:
    """The regular file behind `path`; None where it lies outside or may not be read."""
    try:
        real = (root / path).resolve(strict=True)
        inside = real.is_relative_to(root.resolve())
        regular = stat.S_ISREG(real.stat().st_mode)
    except (OSError, RuntimeError) as problem:  # gone, not ours to see, or a loop of links
        raise BadInput("It cannot be read.") from problem
    allowed = inside and regular and readable(root / path) and readable(real)
    return real if allowed else None


def _text(real: Path) -> str:
    try:
        with real.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise BadInput("It cannot be read.") from problem
    if len(content) > MAX_BYTES:
        raise BadInput(f"It is larger than {MAX_BYTES // 1024} KB.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput("It is not UTF-8 text.") from problem
    if "\0" in text:
        raise BadInput("It holds binary data.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
