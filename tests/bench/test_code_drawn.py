"""What counts as found where a person noted what drawn calls mean."""

from __future__ import annotations

import pytest
from bench.code.drawn import OUTSIDE, Site, agrees, key_of, scored


@pytest.mark.parametrize(
    ("key", "meant", "is_same"),
    [
        ("a.cs::C.run", ["a.cs::C.run"], True),
        ("a.cs::C.run", ["b.cs::C.run"], False),
        ("a.cs::C.C", ["a.cs::C"], True),  # a constructor and its class
        ("a.rb::M.C.initialize", ["a.rb::M.C"], True),
        ("a.rb::M.C.run", ["a.rb::M.C"], False),
    ],
)
def test_agrees(key: str, meant: list[str], is_same: bool) -> None:
    assert agrees(key, meant) is is_same


def test_overloads_share_a_key() -> None:
    assert key_of("a.cs", "C#2.run#3") == "a.cs::C.run"


@pytest.mark.parametrize(
    ("means", "joined", "precision", "recall", "inside"),
    [
        (["b.rb::f"], {"b.rb::f"}, 1.0, 1.0, 1),
        (["b.rb::f"], set(), 0.0, 0.0, 1),
        (["b.rb::f"], {"b.rb::f", "c.rb::f"}, 0.5, 1.0, 1),
        ([OUTSIDE], {"b.rb::f"}, 0.0, 0.0, 0),
        (["a.rb::f"], {"a.rb::f"}, 1.0, 0.0, 0),  # of its own file: not counted in recall
    ],
)
def test_scored(
    means: list[str], joined: set[str], precision: float, recall: float, inside: int
) -> None:
    noted = [{"path": "a.rb", "line": 3, "name": "f", "means": means}]
    found = scored(noted, {Site("a.rb", 3, "f"): joined})
    assert (found["precision"], found["recall"], found["inside"]) == (precision, recall, inside)
