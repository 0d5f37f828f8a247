"""What counts as the same call, on our side and on an oracle's."""

from __future__ import annotations

import json

import pytest
from bench.code.calls import called_name
from bench.code.oracles import key_at, keys_of, same, scored

from loremap.code.extraction.extract import extract
from loremap.code.facts import qualified_names

ABOVE = {"a.py::Cat": frozenset({"a.py::Animal"}), "a.py::Animal": frozenset()}
SITE = ("m.py", 3, "run")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("a.py::run", "a.py::run", True),
        ("a.py::run", "b.py::run", False),
        ("a.py::Cat.run", "a.py::Animal.run", True),  # inherited
        (
            "a.py::Animal.run",
            "a.py::Cat.run",
            True,
        ),  # an interface's member, and its implementation
        ("a.py::Cat.run", "a.py::Animal.eat", False),
        ("a.py::Cat.run", "a.py::Dog.run", False),
    ],
)
def test_same(one: str, other: str, is_same: bool) -> None:
    assert same(one, other, ABOVE) is is_same


@pytest.mark.parametrize(
    ("meant", "given", "right", "wrong", "found", "missed"),
    [
        ({"f"}, [{"f"}], 1, 0, 1, 0),
        ({"f"}, [], 0, 0, 0, 1),
        ({"f"}, [{"g"}], 0, 1, 0, 1),
        ({"f"}, [{"f"}, {"g"}], 1, 1, 1, 0),  # each thing we join is judged by itself
        ({"C"}, [{"C", "Base"}], 1, 0, 1, 0),  # a class and the constructor it inherits are one
        (set(), [{"f"}], 0, 1, 0, 0),  # the oracle says: outside the project
        (set(), [], 0, 0, 0, 0),
    ],
)
def test_scored(
    meant: set[str], given: list[set[str]], right: int, wrong: int, found: int, missed: int
) -> None:
    joined = {SITE: [frozenset(one) for one in given], ("m.py", 9, "untold"): [frozenset("f")]}
    score = scored({SITE: frozenset(meant)}, joined, {})
    assert [len(one) for one in score] == [right, wrong, found, missed]


SOURCE = """\
class Box {
    Box() {}
    Box(int size) {}
    void put(int one) {}
    void put(String one) {}
    class Box2 { void put() {} }
}
"""


@pytest.mark.parametrize(
    ("line", "name", "key"),
    [
        (1, "Box", "Box.java::Box"),
        (3, "Box", "Box.java::Box"),  # a constructor has its class's key
        (4, "put", "Box.java::Box.put"),
        (5, "put", "Box.java::Box.put"),  # overloads share one
        (6, "put", "Box.java::Box.Box2.put"),
        (6, "Box2", "Box.java::Box.Box2"),
        (4, "take", ""),
    ],
)
def test_key_at(line: int, name: str, key: str) -> None:
    facts = extract(SOURCE.encode(), "java")
    keys = keys_of("Box.java", facts, qualified_names(facts))
    assert key_at(facts, keys, line, name) == key, json.dumps(keys)


@pytest.mark.parametrize(
    ("chain", "name"),
    [("a", "a"), ("a.b().c", "c"), ("a.new[]", "new"), ("this.$ask", "$ask"), ("a()", "")],
)
def test_called_name(chain: str, name: str) -> None:
    assert called_name(chain) == name
