"""One module as an agent reads it: its files with a hint each, its tests, what it depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from loremap.code.module_map.line import spoken
from loremap.model.hostile import name_speaks
from loremap.model.module import Module
from loremap.model.text import one_line
from loremap.model.tokens import tokens

WIDTH = 100
MAX_FILES = 12
MAX_TESTS = 3
MAX_OTHERS = 8
LONGEST_HINT = 48


def module_text(
    module: Module,
    *,
    hints: Mapping[str, str] | None = None,
    first: Sequence[str] = (),
    budget_tokens: int = 300,
) -> str:
    """`module` in at most `budget_tokens`, as many files as fit; empty where not even one does.

    `hints` say in a few words what a file holds; `first` are the files that the task at hand is
    about, shown before the others of the module.
    """
    hints = hints or {}
    held = [path for path in first if path in module.core_files]
    module = replace(module, core_files=tuple(dict.fromkeys((*held, *module.core_files))))
    for least in (_full, _short):
        text = ""
        for count in range(1, min(MAX_FILES, len(module.core_files)) + 1):
            longer = least(module, hints, count)
            if tokens(longer) > budget_tokens:
                break
            text = longer
        if text:
            return text
    bare = _title(module)
    return bare if not module.core_files and tokens(bare) <= budget_tokens else ""


def _full(module: Module, hints: Mapping[str, str], count: int) -> str:
    """All that is known of a module, with its first `count` files."""
    told = spoken(module.description)
    shown = module.core_files[:count]
    entries = [path for path in module.entry_points if path not in shown]
    lines = [
        _title(module),
        told,
        _files(module, hints, count),
        _line(
            ("Tests", _few(module.test_files, MAX_TESTS)),
            ("Deps", _few(module.dependencies, MAX_OTHERS)),
        ),
        _line(
            ("Entry", _few(entries, MAX_TESTS)),
            ("Related", _few(module.related_modules, MAX_OTHERS)),
        ),
        _line(("Note", spoken(module.annotation))),
    ]
    return "\n".join(line for line in lines if line)


def _short(module: Module, hints: Mapping[str, str], count: int) -> str:
    """Title, files and tests only."""
    tests = _line(("Tests", _few(module.test_files, 1)))
    lines = [_title(module), _files(module, {}, count), tests]
    return "\n".join(line for line in lines if line)


def _title(module: Module) -> str:
    name = one_line(module.name)
    plain = re.fullmatch(r"[a-z][a-z \-]*", name)
    return f"## Project Memory: {name.capitalize() if plain else name} Module"


def _files(module: Module, hints: Mapping[str, str], count: int) -> str:
    shown = [
        one_line(f"{path} ({hints[path]})" if hints.get(path) else path)
        for path in module.core_files[:count]
    ]
    left = len(module.core_files) - count
    return _wrapped("Files: ", [*shown, *([f"and {left} more"] if left > 0 else [])])


def _wrapped(head: str, items: Sequence[str]) -> str:
    """Items after `head`, broken between items and indented below the first."""
    lines, at = [head], 0
    for index, item in enumerate(items):
        piece = item if index == len(items) - 1 else f"{item},"
        if len(lines[at]) + len(piece) + 1 > WIDTH and lines[at].strip() and index:
            lines.append(" " * len(head))
            at += 1
        gap = "" if lines[at].endswith(" ") else " "
        lines[at] += gap + piece
    return "\n".join(lines)


def _line(*fields: tuple[str, str]) -> str:
    return " | ".join(f"{name}: {content}" for name, content in fields if content)


def _few(items: Sequence[str], most: int) -> str:
    shown = ", ".join(map(one_line, items[:most]))
    return f"{shown}, and {len(items) - most} more" if len(items) > most else shown


def file_hint(doc: str, symbols: Iterable[str] = ()) -> str:
    """What a file holds in a few words: its first doc line cut short, else its main symbols."""
    said = re.sub(r"\s+", " ", doc).strip().rstrip(".")
    for cut in (_whole, _first_clause):
        if said and len(cut(said)) <= LONGEST_HINT and "(" not in cut(said):
            return _lowered(cut(said))
    names = [one for one in symbols if not one.startswith("_") and not name_speaks(one)]
    while names and len(", ".join(names)) > LONGEST_HINT:
        names.pop()
    return ", ".join(names[:3]) or _lowered(_cut(said))


def _whole(text: str) -> str:
    return text


def _first_clause(text: str) -> str:
    return re.split(r"[.:;,(–]\s|\s[–-]\s|:$", text, maxsplit=1)[0]


def _cut(text: str) -> str:
    if len(text) <= LONGEST_HINT:
        return text
    return text[: LONGEST_HINT - 1].rpartition(" ")[0].rstrip(",;: (") + "…"


def _lowered(text: str) -> str:
    """Without the capital of a sentence, unless the word is a name."""
    first, _, rest = text.partition(" ")
    plain = first[1:].islower() or len(first) == 1
    return text[:1].lower() + text[1:] if plain and rest[:1].islower() else text
