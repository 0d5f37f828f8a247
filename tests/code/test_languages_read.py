"""Every further language, on a small project: definitions, docs, imports, edges, and no guesses."""

from __future__ import annotations

import pytest
from language_samples_jvm import SAMPLES as JVM
from language_samples_others import SAMPLES as OTHERS
from language_samples_systems import SAMPLES as SYSTEMS
from language_tools import definitions, docs, edges, lines, read, resolved_calls

SAMPLES = {**SYSTEMS, **JVM, **OTHERS}


@pytest.mark.parametrize("name", SAMPLES)
def test_all_files_are_read_without_an_error(name: str) -> None:
    assert not [path for path, file in read(SAMPLES[name]).items() if file.broken]


@pytest.mark.parametrize("name", SAMPLES)
def test_definitions_have_their_line_kind_and_owner(name: str) -> None:
    found = definitions(read(SAMPLES[name]))
    assert [one for one in lines(SAMPLES[name].definitions) if one not in found] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_doc_lines_come_from_the_comment_above(name: str) -> None:
    found = docs(read(SAMPLES[name]))
    assert {key: found.get(key) for key in SAMPLES[name].docs} == SAMPLES[name].docs


@pytest.mark.parametrize("name", SAMPLES)
def test_edges_lead_to_the_right_definitions(name: str) -> None:
    sample = SAMPLES[name]
    found = edges(sample, read(sample))
    assert [one for one in lines(sample.edges) if one not in found] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_calls_between_definitions_are_exactly_those_listed(name: str) -> None:
    sample = SAMPLES[name]
    found = [one for one in edges(sample, read(sample)) if " calls " in one]
    assert [one for one in found if one not in lines(sample.edges)] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_unknown_stays_unresolved(name: str) -> None:
    sample = SAMPLES[name]
    facts = read(sample)
    resolved = resolved_calls(sample, facts)
    for line in lines(sample.unresolved):
        path, target = line.split()
        places = [call.line for call in facts[path].calls if call.target == target]
        assert places, f"{target} is not read as a call"
        assert not any((path, at) in resolved for at in places), line
