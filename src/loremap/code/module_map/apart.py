"""Trees that hold no source of the product and yet have a name: tests, docs, vendored code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from loremap.code.module_map.folders import is_source_root
from loremap.model.paths import is_test_path

_FEWEST = 2
"""Of so few files a folder is named."""


def trees_apart(
    paths: Iterable[str], *, vendored: Iterable[str], placed: Iterable[str]
) -> list[str]:
    """The folders, each ending in `/`, that stand apart from the modules with the files `placed`:
    the `vendored` ones, and those at the top that hold no file of a module."""
    tops = {path.partition("/")[0] for path in placed if "/" in path}
    files: Counter[str] = Counter()
    for path in paths:
        top, below, _ = path.partition("/")
        if below and top not in tops and not (top.startswith(".") or is_source_root(top)):
            files[f"{top}/"] += 1
    known = [one for one, count in files.items() if count >= _FEWEST]
    return sorted({*known, *(tree for tree in vendored if not is_test_path(tree))})


def names_apart(trees: Iterable[str], *, taken: Collection[str]) -> dict[str, str]:
    """By name: each tree, called after its folder, or after its whole path where that is taken."""
    said = {name.casefold() for name in taken}
    named: dict[str, str] = {}
    for tree in trees:
        short, whole = tree[:-1].rpartition("/")[2], tree[:-1].replace("/", ".")
        name = short if short.casefold() not in said else whole
        if name.casefold() not in said:
            said.add(name.casefold())
            named[name] = tree
    return named
