"""The map of a project: its modules, how it is built, how it is tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from loremap.model.paths import role_of

TOOLING = "tooling"
"""The module of what serves the repository, not the product: scripts and settings at its root."""
_NEARLY_ALL = 0.9


class MapConfidence(StrEnum):
    """How well a module is known: scanned, worked in, worked in over several sessions."""

    SHALLOW = "shallow"
    PARTIAL = "partial"
    MAPPED = "mapped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One part of a project that a person would name. Paths are relative to the project."""

    name: str
    description: str = ""
    core_files: tuple[str, ...] = ()
    """All its source files, tests aside, the most important first; of a tree that stands apart
    (tests, docs, vendored code) only the folder, ending in `/`."""
    entry_points: tuple[str, ...] = ()
    test_files: tuple[str, ...] = ()
    """Files, or folders that end in `/` where a whole folder tests this module."""
    dependencies: tuple[str, ...] = ()
    """External packages, most used first."""
    related_modules: tuple[str, ...] = ()
    """Modules of this project that it uses or that use it, strongest first."""
    confidence: MapConfidence = MapConfidence.SHALLOW
    annotation: str = ""
    """What a person wrote about it."""
    id: str = ""
    """Empty until it is stored."""
    version: int = 1

    @property
    def role(self) -> str:
        """What it is beside the product: tests, docs, examples, vendored …; empty for the product.

        What nearly all its files say; a folder without source files is `files`.
        """
        if self.name == TOOLING:
            return TOOLING
        roles = Counter(role_of(path) for path in self.core_files)
        role, count = roles.most_common(1)[0] if roles else ("", 0)
        if role and count >= _NEARLY_ALL * len(self.core_files):
            return role
        return "files" if all(path.endswith("/") for path in self.core_files or ("",)) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSystem:
    """The tool that builds a project, and its commands by what they are for."""

    tool: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    """`test`, `test_one`, `lint`, `format`, `typecheck`, `build`, `run`, `install` → the line."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """The folder that a command is run in, where that is not the root."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The file and line that state a command."""

    def said(self) -> dict[str, str]:
        """Each command as it is told, with the folder it is run in."""
        return {
            name: command_said(line, self.folders.get(name, ""))
            for name, line in self.commands.items()
        }


def command_said(line: str, folder: str) -> str:
    """A command and the folder it is run in."""
    return f"{line} (in {folder}/)" if folder else line


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFramework:
    """What runs the tests."""

    __test__ = False  # pytest takes a class of this name for a test

    tool: str = ""
    config_file: str = ""
    run_command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMap:
    """What a scan finds: the modules and commands, not yet joined with what is stored."""

    modules: tuple[Module, ...] = ()
    build: BuildSystem = BuildSystem()
    tests: TestFramework = TestFramework()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMap:
    """The whole map of one project."""

    project_id: str
    modules: tuple[Module, ...] = ()
    build: BuildSystem = BuildSystem()
    tests: TestFramework = TestFramework()
    updated_at: int | None = None
    """Milliseconds since 1970."""
    version: int = 0
