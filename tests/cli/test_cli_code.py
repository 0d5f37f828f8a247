"""The code as a person asks about it: scan, outline, symbol, callers, callees, deps, impact."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli

CART = '''"""The shopping cart."""

from prices import price_of

LIMIT = 20


class Cart:
    """What a customer wants to buy."""

    def __init__(self):
        self.items = []

    def add(self, item):
        """Puts an item in."""
        if len(self.items) < LIMIT:
            self.items.append(item)

    def total(self):
        return sum(price_of(item) for item in self.items)
'''
PRICES = '''def price_of(item):
    """The price of an item in cents."""
    return len(item)


def unused():
    return 1
'''
SHOP = """import logging

from cart import Cart


def checkout(items):
    cart = Cart()
    for item in items:
        cart.add(item)
    logging.info("done")
    return cart.total()
"""


@pytest.fixture
def code(shop: Path, cli: Cli) -> Cli:
    for name, text in (("cart.py", CART), ("prices.py", PRICES), ("shop.py", SHOP)):
        (shop / name).write_text(text)
    return cli


def test_scan_says_what_it_read(code: Cli) -> None:
    said = code("scan").out
    assert "4 files" in said
    assert "Languages: python 4" in said
    data = code.data("scan")
    assert (data["files"], data["read"]) == (4, 0)


def test_outline(code: Cli) -> None:
    said = code("outline", "cart.py").out
    assert "class Cart" in said
    assert "def add(self, item)" in said
    assert "Puts an item in." in said
    data = code.data("outline", "cart.py")
    assert [one["qualified"] for one in data["symbols"] if one["kind"] == "method"] == [
        "Cart.__init__",
        "Cart.add",
        "Cart.total",
    ]


def test_outline_of_what_is_no_source(code: Cli) -> None:
    refused = code("outline", "nowhere.py")
    assert refused.code == 2
    assert "no such file" in refused.err


def test_symbol_and_its_references(code: Cli) -> None:
    assert "cart.py:8" in code("symbol", "Cart").out
    data = code.data("symbol", "price_of", "--references")
    assert [one["key"] for one in data["symbols"]] == ["prices.py::price_of"]
    assert "cart.py::Cart.total" in {one["source"]["key"] for one in data["references"]}


def test_the_way_between_two_symbols(code: Cli) -> None:
    data = code.data("symbol", "checkout", "--to", "price_of")
    assert [one["qualified"] for one in data["path"]] == ["checkout", "Cart.total", "price_of"]
    assert "does not depend" in code("symbol", "price_of", "--to", "checkout").out


def test_no_caller_is_told_with_the_calls_that_could_not_be_resolved(code: Cli, shop: Path) -> None:
    assert "Nothing in this project calls unused." in code("callers", "unused").out
    lines = "".join(f"    job.unused({n})\n" for n in range(7))
    (shop / "later.py").write_text(f"def late(job):\n{lines}")
    said = " ".join(code("callers", "unused").out.split())
    assert "No caller of unused found; 7 calls of that name could not be resolved: " in said
    assert "later.py:2, later.py:3" in said
    assert "and 2 more." in said
    data = code.data("callers", "unused")["unresolved"]
    assert (data["total"], data["places"][0]) == (7, {"path": "later.py", "line": 2})


def test_a_call_that_is_joined_to_a_namesake_is_not_told_as_unresolved(
    code: Cli, shop: Path
) -> None:
    (shop / "other.py").write_text("class Other:\n    def unused(self): pass\nOther().unused()\n")
    told = code.data("callers", "prices.py::unused")
    assert (told["total"], told["unresolved"]["total"]) == (0, 0)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("callers", "price_of"), {"cart.py::Cart.total"}),
        (("callers", "Cart.add"), {"shop.py::checkout"}),
        (("callers", "cart.py::Cart.total"), {"shop.py::checkout"}),
        (("callers", "unused"), set()),
    ],
)
def test_callers(code: Cli, asked: tuple[str, str], found: set[str]) -> None:
    assert {one["source"]["key"] for one in code.data(*asked)["callers"]} == found


def test_callees(code: Cli) -> None:
    found = {one["target"]["key"] for one in code.data("callees", "checkout")["callees"]}
    assert found >= {"cart.py::Cart.add", "cart.py::Cart.total"}
    assert "calls nothing" in code("callees", "unused").out


def test_deps(code: Cli) -> None:
    data = code.data("deps", "cart.py")
    assert (data["uses"], data["used_by"]) == (["prices.py"], ["shop.py"])
    assert code.data("deps", "shop.py")["external"] == ["logging"]
    assert "Used by (1)" in code("deps", "cart.py").out


def test_impact(code: Cli) -> None:
    found = {one["key"]: one["steps"] for one in code.data("impact", "price_of")["impact"]}
    assert found["cart.py::Cart.total"] == 1
    assert found["shop.py::checkout"] == 2
    assert "Nothing in this project depends on" in code("impact", "unused").out


def test_a_name_that_means_several(code: Cli, shop: Path) -> None:
    (shop / "other.py").write_text("def price_of(item):\n    return 2\n")
    refused = code("callers", "price_of")
    assert refused.code == 2
    assert "other.py::price_of" in refused.err
    assert len(code.data("symbol", "price_of")["symbols"]) == 2


def test_an_unknown_name(code: Cli) -> None:
    refused = code("callers", "nobody")
    assert refused.code == 2
    assert "lore locate" in refused.err


def test_from_a_folder_below(code: Cli, shop: Path) -> None:
    (shop / "pkg").mkdir()
    (shop / "pkg" / "deep.py").write_text("def deep():\n    return 1\n")
    assert Cli(shop / "pkg").data("outline", "deep.py")["path"] == "pkg/deep.py"
    assert Cli(shop / "pkg").data("outline", "cart.py")["path"] == "cart.py"


def test_a_home_is_not_scanned_unasked(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = tmp_path / "person"
    person.mkdir()
    (person / "a.py").write_text("def a(): ...\n")
    monkeypatch.setenv("HOME", str(person))
    refused = Cli(person)("scan")
    assert refused.code == 2
    assert "--everything" in refused.err
    assert Cli(person).data("scan", "--everything")["files"] == 1


def test_an_answer_of_a_graph_that_is_not_done_says_so(code: Cli, shop: Path) -> None:
    for number in range(80):
        (shop / f"late{number}.py").write_text(f"def late{number}(): ...\n")
    said = code("callers", "price_of").out
    assert "cart.py:20  Cart.total" in said
    assert "Still to be linked: 8" in said
    assert "lore scan" in said
    asked = {
        "callers": ("price_of",),
        "callees": ("checkout",),
        "symbol": ("price_of",),
        "locate": ("the price of an item",),
    }
    told = {command: code.data(command, *given)["missing"] for command, given in asked.items()}
    assert {(one["unread"], one["unlinked"] > 70) for one in told.values()} == {(0, True)}
    assert "Still to be" not in code("symbol", "price_of").out
    code("scan")
    assert "Still to be" not in code("callers", "price_of").out
    assert not [name for name, given in asked.items() if "missing" in code.data(name, *given)]
