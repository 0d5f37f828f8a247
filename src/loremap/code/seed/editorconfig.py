"""Indentation and line lengths out of .editorconfig."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loremap.code.seed.value import Seed, Source, listing

_MOST = 5
_SECTION = re.compile(r"\[(.{1,200})\]\s*$")


@dataclass(frozen=True, slots=True)
class _Option:
    """A value and its line."""

    value: str
    line: int


def editorconfig_seeds(source: Source) -> Iterator[Seed]:
    """How files are indented and how long their lines are, files of one style told together."""
    groups = dict[str, list[tuple[str, int]]]()
    for glob, options in _sections(source.text):
        for said, line in _said(options):
            groups.setdefault(said, []).append((glob, line))
    for said, places in list(groups.items())[:_MOST]:
        globs = [glob for glob, _ in places if glob != "*"]
        where = "" if len(globs) < len(places) else f" in {listing(globs[:5])}"
        width_of_python = globs == ["*.py"] and said.startswith("Lines are")
        yield Seed(
            text=f"{said}{where} (.editorconfig).",
            file=source.path,
            line=places[0][1],
            tags=("formatting",),
            importance=0.72 if not where else 0.64,
            about="python line length" if width_of_python else "",
        )


def _sections(text: str) -> Iterator[tuple[str, dict[str, _Option]]]:
    glob, options = "", dict[str, _Option]()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        header = _SECTION.match(line)
        if header is not None:
            yield glob, options
            glob, options = header[1], {}
        elif glob and "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            options[key.strip().lower()] = _Option(value.strip().lower(), number)
    yield glob, options


def _said(options: dict[str, _Option]) -> Iterator[tuple[str, int]]:
    nothing = _Option("", 0)
    style, size = options.get("indent_style", nothing), options.get("indent_size", nothing)
    if style.value == "tab":
        yield "Indent with tabs", style.line
    elif size.value.isdigit() and style.value in ("", "space"):
        yield f"Indent with {size.value} spaces", size.line
    width = options.get("max_line_length", nothing)
    if width.value.isdigit():
        yield f"Lines are at most {width.value} characters long", width.line
    ending = options.get("end_of_line", nothing)
    if ending.value in ("crlf", "cr"):
        yield f"Lines end with {ending.value.upper()}", ending.line
