"""The modules that a map names, against those that a maintainer of the repository would name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

INSIDE = 0.6
"""Share of a module's files that must lie where the label says."""
COVERED = 0.5
"""Share of the labelled files that the one found, with the modules wholly among them, must hold."""


def found_as(label: Mapping[str, Any], modules: Mapping[str, Sequence[str]]) -> str:
    """The module that is the labelled one, by name and by files; empty for none.

    `modules` are the files, or folders ending in `/`, by name. A label of several folders is
    found where at least half of them are, each under its own name; a label of files where they
    are in one module, whatever else is.
    """
    paths = [path.strip("/").removeprefix(".") for path in label["paths"]]
    if whole := _one(paths, [*_said(label["name"]), *map(_last, paths)], modules):
        return whole
    single = [one for path in paths if (one := _one([path], [_last(path)], modules))]
    return ", ".join(dict.fromkeys(single)) if 2 * len(single) >= len(paths) > 1 else ""


def _one(paths: Sequence[str], calls: Iterable[str], modules: Mapping[str, Sequence[str]]) -> str:
    wanted = {_letters(call) for call in calls} - {""}
    modules = {**_groups(modules), **modules}
    inner = {name: sum(_lies_in(file, paths) for file in files) for name, files in modules.items()}
    total = len({file for files in modules.values() for file in files if _lies_in(file, paths)})
    single = all("." in path.rpartition("/")[2] for path in paths)
    for name, files in modules.items():
        most = single or inner[name] >= INSIDE * len(files)
        if not inner[name] or not most or not _called(name, wanted):
            continue
        wholly = {file for other in modules if inner[other] == len(modules[other])
                  for file in modules[other]}  # fmt: skip
        if len(wholly.union(files)) >= COVERED * total:
            return name
    return ""


def _groups(modules: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What the map shows as one above several: `mcp` for `mcp.client` and `mcp.server`."""
    groups: dict[str, list[str]] = {}
    for name, files in modules.items():
        if above := name.rpartition(".")[0]:
            groups.setdefault(above, []).extend(files)
    return groups


def _called(name: str, wanted: set[str]) -> bool:
    """Whether a dotted name ends in one of the `wanted` names."""
    parts = name.split(".")
    return any(_letters("".join(parts[at:])) in wanted for at in range(len(parts)))


def _said(name: str) -> list[str]:
    """The names in a label: `task` for `task (root package)`, both of `lexer and parser`."""
    bare = re.sub(r"\([^)]*\)", "", name)
    return [bare, bare.rpartition("/")[2], *bare.split(" and ")]


def _last(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0] if "/" in path else path


def _letters(name: str) -> str:
    """A name without case, signs and the plural."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).removesuffix("s")


def _lies_in(file: str, paths: Sequence[str]) -> bool:
    bare = file.rstrip("/")
    return any(
        "/" not in file if not path else bare == path or bare.startswith(f"{path}/")
        for path in paths
    )


def lies_mostly_in(files: Sequence[str], folder: str) -> bool:
    """Whether most of a module's files lie in a folder."""
    return sum(_lies_in(file, [folder]) for file in files) >= INSIDE * len(files)
