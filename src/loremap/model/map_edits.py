"""What a person changed in the module map, as rules that are applied to every new scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from loremap.model.map_matching import named
from loremap.model.module import Module

LISTS = ("core_files", "entry_points", "test_files", "dependencies", "related_modules")
"""The fields of a module that are lists."""


BY_SIDECAR = "sidecar"
"""Who made an edit that nobody made: the small model."""


class EditKind(StrEnum):
    """What an edit does."""

    RENAME = "rename"
    """Call `module` `value`."""
    MERGE = "merge"
    """Make `module` part of the one called `value`."""
    SPLIT = "split"
    """Move the files of `module` that fit the globs in `items` to the one called `value`."""
    ADD = "add"
    """Move the files `items` to `module`."""
    REMOVE = "remove"
    """Take the files `items` out of `module`."""
    SET = "set"
    """Give the field `value` of `module` the content `items`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapEdit:
    """One edit."""

    kind: EditKind
    module: str
    """The module's name at the time of the edit."""
    value: str = ""
    items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The module's files then, by which it is known again under another name."""
    by: str = ""
    """Empty where a person or an agent made it."""


@dataclass(frozen=True, slots=True)
class Edited:
    """Modules after edits, and by name what was edited in each."""

    modules: tuple[Module, ...]
    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def still_true(edit: MapEdit, exists: Callable[[str], bool]) -> MapEdit:
    """`edit` without the files it adds that are gone."""
    adds = edit.kind is EditKind.ADD or (edit.kind is EditKind.SET and edit.value in LISTS[:3])
    return replace(edit, items=tuple(filter(exists, edit.items))) if adds else edit


def edited(modules: Iterable[Module], edits: Iterable[MapEdit]) -> Edited:
    """`modules` with `edits` applied in order; an edit whose module is gone does nothing."""
    current, by = list(modules), dict[str, tuple[str, ...]]()
    for edit in edits:
        target = named(edit.module, edit.files, current)
        if target is None or (edit.by == BY_SIDECAR and _is_said(target, edit)):
            continue
        current, name = _APPLIED[edit.kind](current, target, edit)
        if name != target.name:
            by[name] = (*by.get(name, ()), *by.pop(target.name, ()))
        marks = () if edit.by == BY_SIDECAR else (_what(edit),)
        by[name] = tuple(dict.fromkeys((*by.get(name, ()), *marks)))
    current = [module for module in current if module.core_files or module.test_files]
    known = {module.name for module in current}
    return Edited(
        tuple(sorted(current, key=lambda module: module.name.casefold())),
        {name: what for name, what in by.items() if name in known and what},
    )


def _is_said(module: Module, edit: MapEdit) -> bool:
    """Whether the project itself says what a small model was asked to."""
    return edit.kind is EditKind.SET and bool(getattr(module, edit.value))


def _what(edit: MapEdit) -> str:
    return edit.value if edit.kind is EditKind.SET else edit.kind.value


Modules = list[Module]
Step = tuple[Modules, str]


def _renamed(modules: Modules, target: Module, edit: MapEdit) -> Step:
    if any(module.name == edit.value and module is not target for module in modules):
        return _merged(modules, target, edit)
    called = [replace(m, name=edit.value) if m is target else m for m in modules]
    return _said(called, target.name, edit.value), edit.value


def _merged(modules: Modules, target: Module, edit: MapEdit) -> Step:
    into = next((module for module in modules if module.name == edit.value), None)
    if into is None or into is target:
        return modules, target.name
    both = _with(
        into,
        description=into.description or target.description,
        **{name: _joined(getattr(into, name), getattr(target, name)) for name in LISTS},
    )
    kept = [both if module is into else module for module in modules if module is not target]
    return _said(kept, target.name, into.name), into.name


def _split(modules: Modules, target: Module, edit: MapEdit) -> Step:
    def goes(path: str) -> bool:
        return any(fits(path, glob) for glob in edit.items)

    moved = {
        name: tuple(path for path in getattr(target, name) if goes(path)) for name in LISTS[:3]
    }
    if not moved["core_files"] and not moved["test_files"]:
        return modules, target.name
    left = {
        name: tuple(path for path in getattr(target, name) if not goes(path)) for name in LISTS[:3]
    }
    there = next((module for module in modules if module.name == edit.value), None)
    made = there or Module(name=edit.value, dependencies=target.dependencies)
    made = _with(
        made,
        related_modules=_joined((target.name,), made.related_modules),
        **{name: _joined(getattr(made, name), moved[name]) for name in LISTS[:3]},
    )
    rest = _with(target, related_modules=_joined((made.name,), target.related_modules), **left)
    others = [module for module in modules if module is not target and module is not there]
    kept = [rest] if rest.core_files or rest.test_files else []
    return [*others, *kept, made], made.name


def fits(path: str, glob: str) -> bool:
    """Whether a path fits a glob: `src/auth/**`, `*_view.py`, a folder `src/auth/`, a file."""
    if glob.endswith("/"):
        return path.startswith(glob)
    if "/" not in glob:
        return fnmatchcase(path.rpartition("/")[2], glob)
    return fnmatchcase(path, glob.replace("**/", "*").replace("**", "*"))


def _added(modules: Modules, target: Module, edit: MapEdit) -> Step:
    taken = [module if module is target else _without(module, edit.items) for module in modules]
    grown = replace(target, core_files=_joined(target.core_files, edit.items))
    return [grown if module is target else module for module in taken], target.name


def _removed(modules: Modules, target: Module, edit: MapEdit) -> Step:
    less = _without(target, edit.items)
    return [less if module is target else module for module in modules], target.name


def _set(modules: Modules, target: Module, edit: MapEdit) -> Step:
    if edit.value == "core_files":
        modules, _ = _added(modules, target, edit)
        target = next(module for module in modules if module.name == target.name)
        ordered = replace(target, core_files=_joined(edit.items, target.core_files))
        return [ordered if module is target else module for module in modules], target.name
    content = edit.items if edit.value in LISTS else "".join(edit.items)
    told = _with(target, **{edit.value: content})
    return [told if module is target else module for module in modules], target.name


_APPLIED: Mapping[EditKind, Callable[[Modules, Module, MapEdit], Step]] = {
    EditKind.RENAME: _renamed,
    EditKind.MERGE: _merged,
    EditKind.SPLIT: _split,
    EditKind.ADD: _added,
    EditKind.REMOVE: _removed,
    EditKind.SET: _set,
}


def _without(module: Module, paths: Sequence[str]) -> Module:
    gone = frozenset(paths)
    return _with(
        module,
        **{
            name: tuple(path for path in getattr(module, name) if path not in gone)
            for name in LISTS[:3]
        },
    )


def _with(module: Module, **fields: Any) -> Module:
    """`module` with fields set by names that are known only when it runs."""
    return replace(module, **fields)


def _said(modules: Modules, old: str, new: str) -> Modules:
    """`modules` whose lists of related ones say `new` for `old`."""
    return [
        replace(
            module,
            related_modules=tuple(
                dict.fromkeys(
                    name
                    for name in (new if name == old else name for name in module.related_modules)
                    if name != module.name
                )
            ),
        )
        for module in modules
    ]


def _joined(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
