"""Finding the files that a task description means, in small projects written for it."""

from __future__ import annotations

import numpy as np
import pytest

from loremap.code.extraction.extract import extract
from loremap.code.locate import name_signals, word_signals
from loremap.code.locate.asked import Asked, Signal
from loremap.code.locate.index import (
    LocateIndex,
    built_index,
    dotted_path,
    length_factors,
)
from loremap.code.locate.name_signals import files_at, module_of, traceback_end
from loremap.code.locate.neighbours import raised
from loremap.code.locate.rank import PARTS, FoundFile, Part, locate, located
from loremap.code.locate.task import read_task
from loremap.code.terms import FileTerms, file_terms

FILES = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": '''
class Cart:
    """What a customer wants to buy."""

    def add_item(self, item, amount):
        if amount < 1:
            raise ValueError("The amount of an item must be positive")
        self.items[item] = amount

    def total_price(self):
        return sum(item.price * amount for item, amount in self.items.items())
''',
    "shop/payment/__init__.py": "def charge(card): return gateway(card)\n",
    "shop/payment/gateway.py": '''
def send_request(card):
    """Ask the bank over the network, with a timeout."""
    return post(card, timeout=READ_TIMEOUT_SECONDS)

READ_TIMEOUT_SECONDS = 3
''',
    "shop/reports.py": '''
def monthly_report(orders):
    """A table of all orders of a month."""
    return [render(order) for order in orders]

def render(order):
    return f"{order.customer}: {order.total_price()}"
''',
    "shop/stock.py": """
class Stock:
    def add_item(self, item):
        self.items.append(item)
""",
}

TRACEBACK = """Crash
Traceback (most recent call last):
  File "run.py", line 1, in <module>
  File "/x/site-packages/shop/reports.py", line 4, in monthly_report
    return [render(order) for order in orders]
  File "/x/lib/json.py", line 9, in dump
    pass
"""


def terms_of(source: str) -> FileTerms:
    data = source.encode()
    return file_terms(data, extract(data, "python"))


@pytest.fixture(scope="module")
def shop() -> LocateIndex:
    return built_index((path, terms_of(source)) for path, source in FILES.items())


def reasons(found: FoundFile) -> str:
    return "; ".join(found.reasons)


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("The total price of a cart is wrong", "shop/cart.py", "words"),
        ("`Cart.add_item` accepts floats", "shop/cart.py", "defines Cart.add_item"),
        ("Stock.add_item() accepts floats", "shop/stock.py", "defines Stock.add_item"),
        (
            "The amount of an item in a cart is lost\nfrom shop import Cart",
            "shop/cart.py",
            "defines Cart",
        ),
        ("shop.payment.gateway: timeout", "shop/payment/gateway.py", "file named"),
        ("Typo in shop/reports.py", "shop/reports.py", "file named"),
        ("Raise READ_TIMEOUT_SECONDS", "shop/payment/gateway.py", "READ_TIMEOUT_SECONDS"),
        (
            "Crash\nValueError: The amount of an item must be positive",
            "shop/cart.py",
            "contains a phrase of the task",
        ),
        (
            TRACEBACK,
            "shop/reports.py",
            "end of the traceback",
        ),
    ],
)
def test_the_file_meant_comes_first_and_says_why(
    shop: LocateIndex, text: str, path: str, reason: str
) -> None:
    best = locate(shop, text)[0]
    assert best.path == path
    assert reason in reasons(best)


def test_the_passage_meant_is_among_the_symbols(shop: LocateIndex) -> None:
    best = locate(shop, "sum the price of all items in a cart")[0]
    assert (best.symbols[0].name, best.symbols[0].line) == ("Cart.total_price", 10)


def test_a_member_the_task_names_comes_first(shop: LocateIndex) -> None:
    best = locate(shop, "Cart.add_item: the total price of a cart is a sum of items")[0]
    assert [symbol.name for symbol in best.symbols[:2]] == ["Cart.add_item", "Cart.total_price"]


def test_a_task_about_nothing_here_finds_nothing(shop: LocateIndex) -> None:
    assert locate(shop, "zebra giraffe") == []


@pytest.mark.parametrize("text", ["", "\n\n", "\0", "```", "a" * 100_000, "\ud800", "🚀"])
def test_any_text_is_answered(shop: LocateIndex, text: str) -> None:
    assert isinstance(locate(shop, text), list)


def test_an_empty_project_is_answered() -> None:
    assert locate(built_index([]), "Crash in `Cart.add_item` at shop/cart.py") == []


def test_a_file_without_words_is_harmless() -> None:
    index = built_index([("empty.py", terms_of("")), ("cart.py", terms_of("cart = 1"))])
    assert [found.path for found in locate(index, "cart")] == ["cart.py"]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_signal_is_a_number_per_file(shop: LocateIndex, part: Part) -> None:
    asked = Asked(shop, read_task("`Cart` in shop/cart.py raises 'must be positive' shop.stock.X"))
    found = part.signal(asked)
    assert found.shape == (len(shop),)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


@pytest.mark.parametrize(
    ("signal", "text", "paths"),
    [
        (word_signals.rare_words, "gateway", {"shop/payment/__init__.py"}),
        (
            word_signals.words_of_path,
            "payment",
            {"shop/payment/__init__.py", "shop/payment/gateway.py"},
        ),
        (word_signals.names_of_title, "monthly\nstock", {"shop/reports.py"}),  # the title alone
        (name_signals.file_named, "in shop.stock, shop/cart.py", {"shop/stock.py", "shop/cart.py"}),
        (word_signals.messages_quoted, "x\nitem must be positive!", {"shop/cart.py"}),
        (word_signals.similar_symbols, "no vectors, no likeness", set()),
        (word_signals.identifiers_said, "total_price", {"shop/cart.py", "shop/reports.py"}),
    ],
)
def test_a_signal_speaks_for(shop: LocateIndex, signal: Signal, text: str, paths: set[str]) -> None:
    found = signal(Asked(shop, read_task(text)))
    assert {shop.paths[at] for at in np.flatnonzero(found > 0)} == paths


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("at render (/app/shop/reports.py:8:2)", "shop/reports.py"),
        (TRACEBACK, "shop/reports.py"),  # the frame inside it lies elsewhere
        ('File "reports.py", line 3, in other', None),  # any project may have such a file
        ('File "reports.py", line 3, in render', "shop/reports.py"),
        ("no frames", None),
    ],
)
def test_a_traceback_ends_where_the_project_does(
    shop: LocateIndex, text: str, path: str | None
) -> None:
    at = traceback_end(Asked(shop, read_task(text)))
    assert (None if at is None else shop.paths[at]) == path


@pytest.mark.parametrize(
    ("path", "dotted"),
    [
        ("a/b/c.py", "a.b.c"),
        ("a/b/__init__.py", "a.b"),
        ("src/router/index.ts", "src.router"),
        ("lib.rs", "lib"),
        ("a/app.test.ts", "a.app"),
        (".bashrc", ".bashrc"),
    ],
)
def test_a_path_as_a_module_name(path: str, dotted: str) -> None:
    assert dotted_path(path) == dotted


@pytest.mark.parametrize(
    ("raw", "paths", "depth"),
    [
        ("shop/cart.py", ["shop/cart.py"], 2),
        ("C:\\venv\\shop\\cart.py", ["shop/cart.py"], 2),
        ("/venv/other/cart.py", ["shop/cart.py"], 1),
        ("shop/payment/__init__.py", ["shop/payment/__init__.py"], 3),
        ("cart.js", [], 0),
        ("/", [], 0),
    ],
)
def test_written_paths_are_found_by_their_end(
    shop: LocateIndex, raw: str, paths: list[str], depth: int
) -> None:
    found, shared = files_at(shop, raw)
    assert ([shop.paths[at] for at in found], shared) == (paths, depth)


@pytest.mark.parametrize(
    ("chain", "path", "rest"),
    [
        ("shop.cart.Cart.add_item", "shop/cart.py", ["Cart", "add_item"]),
        ("shop.payment.charge", "shop/payment/__init__.py", ["charge"]),
        ("shop.payment", "shop/payment/__init__.py", []),
        ("self.cart", None, []),
    ],
)
def test_dotted_names_find_their_module(
    shop: LocateIndex, chain: str, path: str | None, rest: list[str]
) -> None:
    at, left = module_of(shop, chain)
    assert (None if at is None else shop.paths[at], left) == (path, rest)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Typo\nin shop/reports.py", ["shop/reports.py"]),
        ("Typo\nin stock.py", ["shop/stock.py"]),  # no other file has the name
        ("Typo\nin __init__.py", []),  # two have it
        ("Typo\nin other/stock.py", []),  # it is not there
        ("Typo\nin cart.py, stock.py, reports.py and gateway.py", []),  # a list of what there is
    ],
)
def test_files_named_outright(shop: LocateIndex, text: str, paths: list[str]) -> None:
    found = name_signals.named_outright(Asked(shop, read_task(text)))
    assert [shop.paths[at] for at in found] == paths


def test_a_path_that_is_named_is_not_outvoted(shop: LocateIndex) -> None:
    text = """The total price of a cart is wrong
The amount of an item must be positive; `Cart.add_item` and `Cart.total_price` sum the items of a
cart and `shop.cart.Cart` says so. The fix belongs in shop/payment/gateway.py."""
    found = locate(shop, text)
    assert [one.path for one in found[:2]] == ["shop/payment/gateway.py", "shop/cart.py"]
    assert found[0].score < 1.1 * found[1].score  # the others stay near


def test_what_the_best_file_uses_is_raised_behind_it(shop: LocateIndex) -> None:
    text = "A table of all orders of a month is empty"
    used = {shop.paths.index("shop/reports.py"): [shop.paths.index("shop/stock.py")]}
    before = [one.path for one in locate(shop, text)]
    found = locate(shop, text, uses=lambda at: used.get(at, ()))
    assert before[0] == "shop/reports.py"
    assert "shop/stock.py" not in before
    assert [one.path for one in found[:2]] == ["shop/reports.py", "shop/stock.py"]
    assert "used by shop/reports.py" in found[1].reasons


@pytest.mark.parametrize(
    ("scores", "uses", "raised_to", "by"),
    [
        ([10, 1, 0], {0: [1, 2]}, [10, 3, 2], [-1, 0, 0]),
        ([10, 9.5, 0], {0: [1]}, [10, 9.5, 0], [-1, -1, -1]),  # already near enough
        ([10, 8, 0], {0: [1]}, [10, 9, 0], [-1, 0, -1]),  # behind the file that uses it
        ([10, 5, 0], {0: [2], 1: [2]}, [10, 5, 2], [-1, -1, 0]),  # the better user counts
        ([10, 5, 0], {1: [0]}, [10, 5, 0], [-1, -1, -1]),  # the best stays the best
        ([10, 0, 0], {0: [0]}, [10, 0, 0], [-1, -1, -1]),  # itself
        ([9, 8, 7, 6, 0], {3: [4]}, [9, 8, 7, 6, 0], [-1] * 5),  # of the best three only
        ([0, 0], {0: [1]}, [0, 0], [-1, -1]),
        ([], {}, [], []),
    ],
)
def test_files_are_raised_by_who_uses_them(
    scores: list[float], uses: dict[int, list[int]], raised_to: list[float], by: list[int]
) -> None:
    found, users = raised(np.array(scores, np.float64), lambda at: uses.get(at, ()))
    assert found == pytest.approx(raised_to)
    assert users.tolist() == by


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        ("examples/cart.py", "shop/cart.py"),
        ("shop/benches/cart.rs", "shop/src/cart.rs"),
        ("shop/cart.d.ts", "shop/cart.ts"),
        ("shop/cart.pyi", "shop/cart.py"),
    ],
)
def test_what_is_seldom_meant_counts_less(lesser: str, greater: str) -> None:
    terms = terms_of("cart = 1")
    index = built_index([(lesser, terms), (greater, terms)])
    assert index.standing[0] < index.standing[1] == 1.0


@pytest.mark.parametrize(
    ("lengths", "factors"),
    [
        ([], []),
        ([50], [1]),
        ([50, 50], [1, 1]),
        ([0, 0, 99], [1, 1, 1.05]),
        ([0, 9, 9], [0.95, 1, 1]),
    ],
)
def test_long_files_count_a_little_more(lengths: list[float], factors: list[float]) -> None:
    assert length_factors(np.array(lengths, np.float64)) == pytest.approx(factors)


def test_tests_are_listed_apart(shop: LocateIndex) -> None:
    tests = built_index(
        [
            ("tests/test_cart.py", terms_of("def test_total_price(): assert Cart().total_price()")),
            ("tests/test_stock.py", terms_of("def test_stock(): assert Stock()")),
        ]
    )
    found = located(shop, tests, "The total price of a cart is wrong")
    assert found.files[0].path == "shop/cart.py"
    assert [one.path for one in found.tests] == ["tests/test_cart.py"]


def test_likeness_of_symbols_counts_where_there_are_vectors(shop: LocateIndex) -> None:
    text = "people complain"  # no word that decides
    similar = np.array([0.1, 0.1, 0.1, 0.9, 0.1, 0.1])
    assert locate(shop, text, similar=similar)[0].path == "shop/payment/gateway.py"


def test_a_likeness_that_is_only_expected_is_no_reason(shop: LocateIndex) -> None:
    similar = np.array([0.1, np.nan, 0.9, 0.1, 0.1, 0.1])
    found = {one.path: one for one in locate(shop, "The total price of a cart", similar=similar)}
    assert "similar" not in reasons(found["shop/cart.py"])
    assert "similar" in reasons(found["shop/payment/__init__.py"])
