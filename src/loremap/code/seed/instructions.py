"""Seeds out of instruction files: CLAUDE.md and its kin, and guides for contributors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.restructured import markdown_of
from loremap.code.documents.yaml_marks import entries, matching
from loremap.code.seed.rules import steers_answers
from loremap.code.seed.statements import Statement, statements
from loremap.code.seed.value import MAX_CHARS, Seed, Source
from loremap.errors import BadInput

_SHORT_FILE = 2_000
"""A file as short as this that tells what to answer tells nothing else."""
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.{0,4000}?)\n---[ \t]*$", re.DOTALL | re.MULTILINE)
_GLOBS = re.compile(r"^(?:globs|applyTo)[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_TOPICS = {
    "testing": re.compile(r"\btests?\b|pytest|jest|vitest", re.IGNORECASE),
    "commits": re.compile(r"\bcommits?\b|changelog|pull request", re.IGNORECASE),
    "formatting": re.compile(r"\bformat|\blint|indent|line length", re.IGNORECASE),
    "documentation": re.compile(r"\bdocstrings?\b|documentation", re.IGNORECASE),
}


def instruction_seeds(source: Source) -> Iterator[Seed]:
    """The rules in a file written for coding agents; raises BadInput where it is for one only."""
    if len(source.text) < _SHORT_FILE and steers_answers(source.text):
        raise BadInput("It tells an agent what to answer, not how to work on the code.")
    yield from _seeds(source, strict=False)


def contributing_seeds(source: Source) -> Iterator[Seed]:
    """The rules in a guide for contributors."""
    yield from _seeds(source, strict=True)


def _seeds(source: Source, *, strict: bool) -> Iterator[Seed]:
    rst = source.path.lower().endswith((".rst", ".txt"))
    place = "" if strict else _place(source)  # a guide lies in a folder, but speaks of all
    for found in statements(markdown_of(source.text) if rst else source.text, strict=strict):
        text = f"{place}{found.text}"
        yield Seed(
            text=text if len(text) <= MAX_CHARS else found.text,
            kind=found.kind,
            file=source.path,
            line=found.line,
            tags=_tags(found),
            importance=found.weight,
            instruction_file=not strict,
        )


def _place(source: Source) -> str:
    """Where the rules of a file hold that is for some files or one folder only."""
    head = _FRONT_MATTER.match(source.text)
    found = entries(head[1]) if head else []
    told = [
        entry.value
        for key in ("globs", "applyTo")
        for entry in (*matching(found, key), *matching(found, key, "*"))
    ]
    if head and not found:  # a glob without quotes is no YAML, and yet how Cursor writes it
        told = [line[1] for line in _GLOBS.finditer(head[1])]
    globs = [glob.strip().strip("\"'") for each in told for glob in each.split(",")]
    if globs:
        few = [glob for glob in globs if glob and glob not in ("*", "**", "**/*")]
        short = (glob.removeprefix("**/") for glob in few[:4])
        return f"In {', '.join(short)}: " if len(few) == len(globs) else ""
    folder = source.path.rpartition("/")[0]
    if not folder or folder.startswith(".") or source.path.lower().startswith("docs/contributing"):
        return ""
    return f"In {folder}/: "


def _tags(found: Statement) -> tuple[str, ...]:
    subject = f"{' '.join(found.headings)} {found.text}"
    return tuple(tag for tag, sign in _TOPICS.items() if sign.search(subject))
