"""Counting the words of a source file."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from loremap.code.extraction.extract import extract
from loremap.code.term_hashes import (
    name_hash,
    name_parts,
    run_hashes,
    text_hash,
    token_hashes,
    whole,
)
from loremap.code.terms import FileTerms, file_terms, from_bytes, to_bytes

SOURCE = b'''
"""Shelves."""
LARGEST_SHELF = 3

class BookShelf:
    """Holds novels."""

    def add_novel(self, novel):
        def check():
            raise ValueError("The shelf %s is already full of novels" % self)
        return check()

def emptied(shelf):
    return BookShelf()
'''


def counted(source: bytes = SOURCE, language: str = "python") -> FileTerms:
    return file_terms(source, extract(source, language))


def count_of(terms: FileTerms, passage: str, word: str) -> int:
    at = terms.names.index(passage)
    inside = slice(int(terms.bounds[at]), int(terms.bounds[at + 1]))
    return int(terms.counts[inside][terms.terms[inside] == text_hash(word)].sum())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getHTTPResponse", ["get", "http", "respons"]),
        ("add_novels", ["add", "novel"]),
        ("__init__", ["init"]),
        ("x", []),  # one letter tells nothing
        ("to_the_list2", ["list2"]),
        ("42", []),
        ("Größe", ["gross"]),
    ],
)
def test_a_name_is_split_folded_and_stemmed(name: str, parts: list[str]) -> None:
    assert name_parts(name) == parts


def test_only_a_compound_name_counts_as_a_whole_too() -> None:
    assert text_hash(whole("add_novel")) in token_hashes("add_novel")
    assert token_hashes("novel") == [text_hash("novel")]


def test_passages_are_types_and_outermost_callables() -> None:
    assert counted().names == ("", "BookShelf", "BookShelf.add_novel", "emptied")
    assert counted().lines.tolist() == [1, 5, 8, 13]


@pytest.mark.parametrize(
    ("passage", "word", "count"),
    [
        ("", "largest", 1),
        ("", "book", 0),
        ("BookShelf", "hold", 1),
        ("BookShelf", "book", 2),  # written once, and once more as the passage's name
        ("BookShelf", "check", 0),  # what lies in the method is the method's
        ("BookShelf.add_novel", "check", 2),
        ("BookShelf.add_novel", "book", 1),  # from its qualified name alone
        ("BookShelf.add_novel", whole("add_novel"), 2),
        ("emptied", whole("BookShelf"), 1),
    ],
)
def test_words_are_counted_where_they_stand(passage: str, word: str, count: int) -> None:
    assert count_of(counted(), passage, word) == count


def test_definitions_are_known_by_name_and_by_holder() -> None:
    defined = set(counted().defined.tolist())
    wanted = {"LARGEST_SHELF", "BookShelf", "add_novel", "BookShelf.add_novel", "emptied"}
    assert {name_hash(name) for name in wanted} <= defined
    assert name_hash("ValueError") not in defined


def test_words_of_names_are_counted_apart() -> None:
    terms = counted()
    said = dict(zip(terms.name_terms.tolist(), terms.name_counts.tolist(), strict=True))
    assert said[text_hash("shelf")] == 2  # LARGEST_SHELF and BookShelf, no uses
    assert text_hash("valu") not in said


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        (b"is already full", True),
        (b"IS ALREADY FULL of", True),
        (b"shelf is already", False),  # something is filled in between
        (b"def add novel", False),  # not quoted
    ],
)
def test_runs_of_three_quoted_words_are_known(text: bytes, is_known: bool) -> None:
    assert bool(np.isin(run_hashes(text), counted().messages).any()) is is_known


def test_a_break_ends_a_run() -> None:
    assert len(run_hashes(b"one two three four")) == 2
    assert len(run_hashes(b"one two \0 three four")) == 0


@pytest.mark.parametrize("source", [SOURCE, b"", b"\xff\xfe\x00 x = '", "größe = 'ß'".encode()])
def test_what_is_stored_comes_back(source: bytes) -> None:
    terms = counted(source)
    again = from_bytes(to_bytes(terms))
    for field in fields(FileTerms):
        assert list(getattr(again, field.name)) == list(getattr(terms, field.name)), field.name


def test_other_languages_are_counted_alike() -> None:
    go = b"package a\n\ntype Shelf struct{}\n\nfunc (s *Shelf) AddNovel() { panic(s) }\n"
    terms = counted(go, "go")
    assert text_hash(whole("AddNovel")) in terms.terms.tolist()
    assert name_hash("AddNovel") in terms.defined.tolist()


def test_a_term_counts_at_most_what_fits() -> None:
    assert count_of(counted(b"novel " * 1000), "", "novel") == 255
