"""What the module map is found from: a project's files, their imports and a few small texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """One source file. Paths are relative to the project, with `/`."""

    path: str
    language: str
    lines: int = 0
    doc: str = ""
    """The first line of its docstring or opening comment."""
    symbols: tuple[str, ...] = ()
    """Names it defines at its top level, the most important first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    """A project as the module map sees it; filled from the code graph."""

    name: str
    """The project's own name, usually that of its folder."""
    files: Sequence[ProjectFile]
    imports: Sequence[tuple[str, str, float]] = ()
    """Source file, target file, weight: how often the one uses the other."""
    external: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By file: the modules it imports from outside the project, as written."""
    paths: Sequence[str] = ()
    """Every file of the project, source or not."""
    vendored: Sequence[str] = ()
    """The folders, each ending in `/`, where it keeps the code of others."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts that `wanted_texts` asked for."""
