"""Reads small projects written in a test, and says what was found in short lines."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import NamedTuple

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, qualified_names
from loremap.code.languages import language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver


class Sample(NamedTuple):
    """A project and what must be found in it."""

    files: Mapping[str, str]
    definitions: str
    """Lines `path:line kind qualified.name`, of some or all definitions."""
    edges: str
    """Lines `path qualified kind path qualified`; the file itself is `-`."""
    unresolved: str
    """Lines `path target`: calls that mean nothing in the project."""
    docs: Mapping[str, str]
    """Doc lines by qualified name."""
    manifests: Mapping[str, str] = {}


def written(sample: Sample) -> dict[str, bytes]:
    """The files of a sample as they would lie on disk."""
    return {path: dedent(text).lstrip("\n").encode() for path, text in sample.files.items()}


def read(sample: Sample) -> dict[str, FileFacts]:
    """The facts of each file."""
    facts = {}
    for path, source in written(sample).items():
        language = language_of(path)
        assert language is not None, path
        facts[path] = extract(source, language)
    return facts


def lines(text: str) -> list[str]:
    """The lines of a table, without indent and empty ones."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def definitions(facts: Mapping[str, FileFacts]) -> list[str]:
    """What is defined, as `path:line kind name`."""
    return [
        f"{path}:{one.start_line} {one.kind} {name}"
        for path, file in facts.items()
        for name, one in zip(qualified_names(file), file.definitions, strict=True)
        if name and "<" not in name
    ]


def docs(facts: Mapping[str, FileFacts]) -> dict[str, str]:
    """The doc line of each definition that has one."""
    return {
        name: one.doc
        for file in facts.values()
        for name, one in zip(qualified_names(file), file.definitions, strict=True)
        if one.doc
    }


def edges(sample: Sample, facts: Mapping[str, FileFacts]) -> list[str]:
    """All edges between definitions and files, as `path name kind path name`."""
    manifests = {path: text.encode() for path, text in sample.manifests.items()}
    resolver = Resolver(MemoryProject(facts, manifests))
    names = {path: qualified_names(file) for path, file in facts.items()}
    return sorted(
        {
            f"{path} {names[path][link.source] or '-'} {link.kind.value} "
            f"{link.path} {names[link.path][link.target] or '-'}"
            for path in facts
            for link in resolver.links(path).edges
        }
    )


def resolved_calls(sample: Sample, facts: Mapping[str, FileFacts]) -> set[tuple[str, int]]:
    """The path and line of every call that means something in the project."""
    manifests = {path: text.encode() for path, text in sample.manifests.items()}
    resolver = Resolver(MemoryProject(facts, manifests))
    return {
        (path, link.line)
        for path in facts
        for link in resolver.links(path).edges
        if link.kind.value == "calls"
    }
