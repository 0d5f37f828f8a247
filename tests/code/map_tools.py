"""Small project trees made up for tests of the module map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loremap.code.module_map import ProjectFile, ProjectView
from loremap.model.module import FoundMap, Module

LANGUAGES = {
    "py": "python",
    "ts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "js": "javascript",
}


def file(path: str, *, lines: int = 60, doc: str = "", symbols: Sequence[str] = ()) -> ProjectFile:
    """A source file of the language its ending says."""
    ending = path.rpartition(".")[2]
    return ProjectFile(
        path=path,
        language=LANGUAGES.get(ending, ending),
        lines=lines,
        doc=doc,
        symbols=tuple(symbols),
    )


def project(
    files: Iterable[str | ProjectFile],
    *,
    name: str = "shop",
    imports: Iterable[tuple[str, str]] = (),
    external: Mapping[str, Sequence[str]] | None = None,
    texts: Mapping[str, str] | None = None,
    others: Iterable[str] = (),
) -> ProjectView:
    """A project of these files; `others` are paths that are no source."""
    made = [file(one) if isinstance(one, str) else one for one in files]
    texts = texts or {}
    return ProjectView(
        name=name,
        files=made,
        imports=[(one, two, 1.0) for one, two in imports],
        external=external or {},
        paths=[*(one.path for one in made), *texts, *others],
        texts=texts,
    )


def named(found: FoundMap, name: str) -> Module:
    """The module of that name."""
    return next(module for module in found.modules if module.name == name)


def names(found: FoundMap) -> list[str]:
    """The names of all modules."""
    return [module.name for module in found.modules]
