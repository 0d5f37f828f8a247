"""What is read from one Python file alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, from_bytes, qualified_names, to_bytes

SOURCE = b'''"""The file."""
import os.path as p, sys
from ..a import b as c, d
from m import *

LIMIT: int = 3

class A(B, c.D, metaclass=M):
    """Says more.

    And more."""

    kind = "a"

    def f(self, a: "Foo" = None, *args, **kw) -> Optional[Bar]:
        self.y = A()
        for i in a:
            i.go(self.y, key=sys)
        return self.y.find(1).name

    @property
    def g(self): return lambda q: q.r()

async def h():
    def inner():
        global LIMIT
        LIMIT = make()
    yield inner
'''


@pytest.fixture(scope="module")
def facts() -> FileFacts:
    return extract(SOURCE, "python")


def test_definitions_are_named_by_what_holds_them(facts: FileFacts) -> None:
    names = [name for name in qualified_names(facts) if "<" not in name]
    assert names == ["", "A", "A.f", "A.g", "h", "h.inner", "LIMIT", "A.kind", "A.y"]


def test_a_definition_knows_its_parts(facts: FileFacts) -> None:
    one = facts.definitions[1]
    assert (one.kind, one.start_line, one.end_line) == ("class", 8, 22)
    assert one.bases == ["B", "c.D"]
    assert one.doc == "Says more."
    assert one.signature == "class A(B, c.D, metaclass=M)"
    method = facts.definitions[2]
    assert method.params == ["self", "a", "*args", "**kw"]
    assert facts.definitions[3].decorators == ["property"]
    assert facts.definitions[0].doc == "The file."


def test_variables_know_their_scope(facts: FileFacts) -> None:
    scopes = {one.name: one.scope for one in facts.definitions if one.kind == "variable"}
    assert scopes == {"LIMIT": "module", "kind": "class", "y": "instance"}


def test_imports_keep_what_is_written(facts: FileFacts) -> None:
    assert [one[1:4] for one in facts.imports] == [
        ("os.path", "", "p"),
        ("sys", "", ""),
        ("..a", "b", "c"),
        ("..a", "d", "d"),
        ("m", "*", ""),
    ]


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("a", "Foo()"),
        ("<return>", "Bar()"),
        ("self.y", "A()"),
        ("i", "a[]"),
        ("<return>", "self.y.find().name"),
        ("<return>", "<fn4>"),
        ("<return>", "q.r()"),
        ("<yield>", "inner"),
    ],
)
def test_bindings_say_what_a_name_may_be(facts: FileFacts, target: str, value: str) -> None:
    assert (target, value) in {(one.target, one.value) for one in facts.bindings}


def test_a_global_statement_moves_the_binding_to_the_file(facts: FileFacts) -> None:
    assert [one.scope for one in facts.bindings if one.value == "make()"] == [0]


def test_calls_carry_the_arguments_that_chains_can_say(facts: FileFacts) -> None:
    call = next(one for one in facts.calls if one.target == "i.go")
    assert call.arguments == [("0", "self.y"), ("key", "sys")]
    assert call.line == 18
    assert facts.definitions[call.scope].name == "f"


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        (b"a, *b, c = w, x, y, z", {("a", "w"), ("b[0]", "x"), ("b[1]", "y"), ("c", "z")}),
        (b"a, (b, c) = w, (x, y)", {("a", "w"), ("b", "x"), ("c", "y")}),
        (b"a = b = f", {("a", "f"), ("b", "f")}),
        (b"a = f() if x else g", {("a", "f()"), ("a", "g")}),
        (b"d = {'k': f, 1: [g]}", {("d", ""), ("d['k']", "f"), ("d[1][0]", "g")}),
        (b"with f() as g: pass", {("g", "f().__enter__()")}),
        (b"x = 'text'", {("x", "")}),
        (b"for a, b in f(): pass", {("a", "f()[][0]"), ("b", "f()[][1]")}),
    ],
)
def test_assignments_become_bindings(statement: bytes, wanted: set[tuple[str, str]]) -> None:
    found = extract(statement, "python").bindings
    assert {(one.target, one.value) for one in found} == wanted


def test_only_what_always_happens_is_firm() -> None:
    source = b"def f():\n    x = a\n    if y:\n        x = b\n"
    assert [(one.value, one.firm) for one in extract(source, "python").bindings] == [
        ("a", True),
        ("b", False),
    ]


def test_a_digest_outlives_a_rename_and_a_new_layout_but_no_change() -> None:
    def digest(source: bytes) -> str:
        return extract(source, "python").definitions[1].digest

    first = digest(b"def find(a):\n    return find(a.find_all)\n")
    assert first == digest(b"def seek(a):\n\n        return seek(\n            a.find_all)\n")
    assert first != digest(b"def find(a):\n    return find(a.find_any)\n")


def _parsed(node: ast.AST, holder: str) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{holder}.{child.name}".lstrip(".")
            yield name, child.lineno
            yield from _parsed(child, name)
        else:
            yield from _parsed(child, holder)


def _ours(facts: FileFacts) -> Iterator[tuple[str, int]]:
    for one in facts.definitions[1:]:
        if one.kind == "variable" or one.name.startswith("<"):
            continue
        name, at = one.name, one.parent
        while at:
            if not facts.definitions[at].name.startswith("<"):
                name = f"{facts.definitions[at].name}.{name}"
            at = facts.definitions[at].parent
        yield name, one.start_line


def test_definitions_equal_those_of_the_standard_library() -> None:
    root = Path(loremap.__file__).parent
    paths = sorted(root.rglob("*.py"))
    assert len(paths) > 50
    for path in paths:
        text = path.read_bytes()
        assert sorted(_ours(extract(text, "python"))) == sorted(_parsed(ast.parse(text), "")), path


@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "tsx", "go"])
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0" * 100 + b"def f(): pass",
        b"\xef\xbb\xbfdef f():\r\n    return g()\r\n",
        b'x = "\xff\xfe"\ndef \xe9(): pass',
        b"f(" * 5000 + b")" * 5000,
        b"x = " + b"[" * 5000 + b"]" * 5000,
        b"a" + b".b()" * 1000,
        b"class A { f() {" * 500,
        b"@a\n" * 500 + b"def f(): pass",
        b"x = [" + b"f(a, 'b'), " * 20_000 + b"]",
        bytes(range(256)) * 40,
    ],
    ids="empty nul bom invalid calls lists chain classes decorators line bytes".split(),
)
def test_no_bytes_stop_the_reading(language: str, source: bytes) -> None:
    facts = extract(source, language)
    assert facts.definitions[0].kind == "file"
    assert from_bytes(to_bytes(facts)) == facts
    assert len(qualified_names(facts)) == len(facts.definitions)
