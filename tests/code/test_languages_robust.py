"""No bytes make reading fail: samples cut short, mixed up, and made of other languages."""

from __future__ import annotations

import random

import pytest
from language_samples_jvm import SAMPLES as JVM
from language_samples_others import SAMPLES as OTHERS
from language_samples_systems import SAMPLES as SYSTEMS
from language_tools import Sample, written

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, from_bytes, qualified_names, to_bytes
from loremap.code.languages import language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver

SAMPLES = {**SYSTEMS, **JVM, **OTHERS}
_BYTES = [
    b"{",
    b"}",
    b"(",
    b")",
    b"<",
    b'"',
    b"'",
    b";",
    b"\n",
    b"\x00",
    b"\xff",
    b"::",
    b"/*",
    b"$",
]


def languages_and_sources(sample: Sample) -> list[tuple[str, bytes]]:
    return [(language_of(path) or "", source) for path, source in written(sample).items()]


def mutated(source: bytes, dice: random.Random) -> bytes:
    """`source` with a few pieces removed, doubled or replaced."""
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(source) + 1)
        end = min(len(source), at + dice.choice((0, 1, 5, 40)))
        piece = dice.choice([*_BYTES, b"", source[at:end] * 2])
        source = source[:at] + piece + source[end:]
    return source


def assert_sound(facts: FileFacts, source: bytes) -> None:
    """Every index points at a definition, and every span lies in the source."""
    count = len(facts.definitions)
    assert len(qualified_names(facts)) == count
    for one in facts.definitions:
        assert 0 <= one.parent < count
        assert 0 <= one.start_byte <= one.end_byte <= len(source)
        assert 1 <= one.start_line <= one.end_line
    for rows in (facts.imports, facts.bindings, facts.calls, facts.references):
        assert all(0 <= row.scope < count for row in rows)
    assert from_bytes(to_bytes(facts)) == facts


@pytest.mark.parametrize("name", SAMPLES)
def test_every_prefix_of_a_file_is_read(name: str) -> None:
    for language, source in languages_and_sources(SAMPLES[name]):
        for end in range(0, len(source), 23):
            assert_sound(extract(source[:end], language), source[:end])


@pytest.mark.parametrize("name", SAMPLES)
def test_mixed_up_files_are_read_and_resolved(name: str) -> None:
    dice = random.Random(name)
    files = written(SAMPLES[name])
    for _ in range(25):
        facts = {}
        for path, source in files.items():
            changed = mutated(source, dice)
            facts[path] = extract(changed, language_of(path) or "")
            assert_sound(facts[path], changed)
        resolver = Resolver(MemoryProject(facts))
        for path, file in facts.items():
            for link in resolver.links(path).edges:
                assert 0 <= link.source < len(file.definitions)
                assert 0 <= link.target < len(facts[link.path].definitions)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_in_another_language_is_read(name: str) -> None:
    own = languages_and_sources(SAMPLES[name])[0][0]
    for other in SAMPLES.values():
        for _, source in languages_and_sources(other):
            assert_sound(extract(source, own), source)
