"""The module map condensed: a line per module, and one for the project's commands."""

from __future__ import annotations

from itertools import takewhile

from loremap.model.hostile import speaks_to_a_model, suspicion
from loremap.model.module import Module, ModuleMap
from loremap.model.text import cut, one_line

LONGEST = 90
MAX_COMMANDS = 8


def module_line(module: Module) -> str:
    """A module in one line: its name, what it is for, where it lies."""
    told = spoken(module.description)
    place = one_line(_place(module))
    said = cut(told, LONGEST).rstrip(".")
    return f"- {one_line(module.name)}{f': {said}' if said else ''}{f' ({place})' if place else ''}"


def spoken(text: str) -> str:
    """What a person or an agent wrote of a module, on one line; nothing where it speaks to a
    model."""
    return "" if suspicion(text, person=True) else one_line(text)


def command_line(module_map: ModuleMap) -> str:
    """The commands of a project: `Commands: test: make test, lint: ruff check .`"""
    commands = module_map.build.said().items()
    shown = [(name, line) for name, line in commands if not speaks_to_a_model(line)][:MAX_COMMANDS]
    return "Commands: " + ", ".join(f"{name}: {cut(one_line(line), 60)}" for name, line in shown)


def _place(module: Module) -> str:
    """The folder that holds all its files, else the first file."""
    files = module.core_files
    if not files:
        return ""
    if len(files) == 1:
        return files[0]
    folders = [path.split("/")[:-1] for path in files]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    folder = "/".join(parts[0] for parts in shared)
    return f"{folder}/" if folder else files[0]
