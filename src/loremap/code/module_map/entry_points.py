"""Where a module is entered: commands, servers, routes and what it offers to others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from loremap.code.documents.reading import section
from loremap.code.module_map.manifests import Manifest, word
from loremap.code.module_map.project_view import ProjectFile

MOST = 6
_STARTS = re.compile(
    r"(?i)(^|/)(__main__\.py|main\.(go|rs|ts|tsx|js|java|kt|c|cc|cpp|swift)|program\.cs|"
    r"manage\.py|wsgi\.py|asgi\.py|server\.(ts|js|py|go)|cli\.(py|ts|js|mjs)|bin/[^/]+)$"
)
_ROUTES = re.compile(
    r"(?i)(^|/)(urls\.py|(routes?|router|app|application|commands?)\.(py|ts|tsx|js|rb|go|php))$|"
    r"(^|/)(routes|routers|endpoints|controllers)/[^/]+$"
)
_GATES = re.compile(r"(^|/)(__init__\.py|index\.[cm]?[jt]sx?|mod\.(rs|ts)|lib\.rs)$")


def declared(manifests: Iterable[Manifest], paths: frozenset[str]) -> list[str]:
    """The files that manifests name as commands or as what their package offers."""
    found = list[str]()
    for manifest in manifests:
        prefix = f"{manifest.folder}/" if manifest.folder else ""
        if manifest.file == "pyproject.toml":
            scripts = section(manifest.data, "project", "scripts") | section(
                manifest.data, "tool", "poetry", "scripts"
            )
            for target in scripts.values():
                found += _python_files(str(target), prefix, paths)
        elif manifest.file == "package.json":
            for named in _node_files(manifest.data):
                found += _node_sources(named, prefix, paths)
    return list(dict.fromkeys(found))


def _python_files(target: str, prefix: str, paths: frozenset[str]) -> list[str]:
    """The file of `package.module:function`."""
    inner = target.partition(":")[0].strip().replace(".", "/")
    places = [f"{prefix}{base}{inner}" for base in ("src/", "")]
    for place in places:
        for path in (f"{place}.py", f"{place}/__init__.py"):
            if path in paths:
                return [path]
    return []


def _node_files(data: Mapping[str, object]) -> list[str]:
    named = [word(data, "bin"), *_leaves(data.get("bin"))]
    named += [word(data, "main"), word(data, "module"), *_leaves(data.get("exports"))]
    return [name for name in named if name]


def _leaves(data: object, depth: int = 0) -> list[str]:
    """The texts inside nested tables, in order."""
    if isinstance(data, str):
        return [data]
    if not isinstance(data, Mapping) or depth > 5:
        return []
    return [leaf for value in data.values() for leaf in _leaves(value, depth + 1)]


def _node_sources(named: str, prefix: str, paths: frozenset[str]) -> list[str]:
    """The source behind `./dist/cjs/index.js`: the file itself or the one it is built from."""
    bare = re.sub(r"^\./", "", named)
    if prefix + bare in paths:
        return [prefix + bare]
    inner = re.sub(r"^(dist|lib|build|out)/(cjs/|esm/|types/|es/)?", "", bare)
    inner = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", inner)
    for ending in (".ts", ".tsx", ".js", ".mjs"):
        path = f"{prefix}src/{inner}{ending}"
        if path in paths:
            return [path]
    return []


def entry_points(
    files: Sequence[ProjectFile],
    *,
    folder: str,
    declared: Iterable[str],
    used_outside: Mapping[str, int],
) -> tuple[str, ...]:
    """The files by which a module is entered, commands first; `files` the most important first."""
    own = {file.path: file for file in files}
    found = [path for path in declared if path in own][:MOST]
    found += [path for path, file in own.items() if _starts(file)]
    found += [path for path in own if _ROUTES.search(path)]
    gates = [path for path in own if _GATES.search(path) and used_outside.get(path, 0) > 0]
    gates.sort(key=lambda path: (path.rpartition("/")[0] != folder, -used_outside[path], path))
    found += gates[: 2 if found else 3]
    return tuple(dict.fromkeys(found))[:MOST]


def _starts(file: ProjectFile) -> bool:
    if _STARTS.search(file.path) and not file.path.endswith("__init__.py"):
        return True
    return "main" in file.symbols and file.language in {"python", "go", "rust", "c", "cpp"}
