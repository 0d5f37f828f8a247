"""Definitions that stand before what holds them, or inside what they hold."""

from __future__ import annotations

import pytest

from loremap.code.extraction.extract import extract
from loremap.code.facts import qualified_names
from loremap.code.scan.read import symbol_rows
from loremap.code.terms import file_terms

METHOD_FIRST = b"package a\n\nfunc (t *T) Run() int { return t.n }\n\ntype T struct{ n int }\n"
IN_EACH_OTHER = b"package a\n\nfunc (t *T) foo() {\n\ttype T struct{}\n}\n"


@pytest.mark.parametrize("source", [METHOD_FIRST, IN_EACH_OTHER])
def test_every_reader_comes_to_an_end(source: bytes) -> None:
    facts = extract(source, "go")
    names = qualified_names(facts)
    assert len(names) == len(facts.definitions)
    assert file_terms(source, facts).names
    assert symbol_rows("a.go", facts, "")


def test_a_method_before_its_type_belongs_to_it() -> None:
    facts = extract(METHOD_FIRST, "go")
    assert "T.Run" in qualified_names(facts)
    rows = {row[2]: row for row in symbol_rows("a.go", facts, "")}
    assert rows["T.Run"][1] == rows["T"][0]
