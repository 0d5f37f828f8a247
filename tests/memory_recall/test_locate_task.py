"""Reading a task description."""

from __future__ import annotations

import pytest

from loremap.code.locate.task import Frame, read_task
from loremap.code.term_hashes import text_hash


def weight(text: str, word: str) -> float:
    return read_task(text).terms.get(text_hash(word), 0.0)


@pytest.mark.parametrize(
    ("heavier", "lighter"),
    [
        ("zebra\nx", "x\nthe zebra runs"),  # title over prose
        ("x\nthe zebra runs", "x\n```\nzebra\n```"),  # prose over fenced code
        ("x\nthe zebra runs", "x\nzebra = run(1)"),  # and over code without a fence
        ("x\nzebra = run(1)", 'x\nFile "a.py", line 3\n  zebra'),  # code over a traceback
        ("x\nzebra and zebra", "x\nzebra"),
    ],
)
def test_words_weigh_by_where_they_stand(heavier: str, lighter: str) -> None:
    assert weight(heavier, "zebra") > weight(lighter, "zebra") > 0


def test_a_template_comment_says_nothing() -> None:
    assert weight("x\n<!-- zebra\nzebra -->", "zebra") == 0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the `cart` and the shelf", {"cart"}),
        ("call total() on it", {"total"}),
        ("CartItem and total_price and __repr__", {"CartItem", "total_price", "__repr__"}),
        ("see shop.cart", {"shop", "cart"}),
        ("Shop::Cart#total", {"Shop", "Cart", "total"}),
        ("x\nclass MyCart(Cart):\n  pass", {"Cart"} - {"Cart"}),  # MyCart is made here
        ("the class MyCart is slow", {"MyCart"}),  # prose makes nothing
    ],
)
def test_names_are_what_is_given_as_a_name(text: str, names: set[str]) -> None:
    assert set(read_task(text).identifiers) == names


@pytest.mark.parametrize(
    ("text", "chains"),
    [
        ("shop.cart.Cart fails", {"shop.cart.Cart"}),
        ("from shop.cart import Cart, Item", {"shop.cart", "shop.cart.Cart", "shop.cart.Item"}),
        ("Shop::Cart", {"Shop.Cart"}),
    ],
)
def test_dotted_names(text: str, chains: set[str]) -> None:
    assert set(read_task(text).dotted) == chains


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("in shop/cart.py there", {"shop/cart.py"}),
        ("cart.py is wrong", {"cart.py"}),
        ("see ./src/a-b.test.ts", {"./src/a-b.test.ts"}),
        ("shop\\cart.py", {"shop\\cart.py"}),
        ('File "shop/cart.py", line 3, in f', set()),  # a frame is no mention
    ],
)
def test_paths_given(text: str, paths: set[str]) -> None:
    assert set(read_task(text).paths) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("in shop/cart.py there", {"shop/cart.py"}),
        ("cart.py is wrong", {"cart.py"}),
        (
            "see https://git.example/a/shop/blob/4f2a9c/shop/cart.py#L10-L12",
            {"shop/cart.py"},
        ),
        ("at /home/me/shop/cart.py", set()),  # on somebody's machine
        ("lib/site-packages/shop/cart.py", set()),  # what is installed
        ("x\n```\n#include <shop/cart.h>\n```", set()),  # code uses files, it does not mean them
        ('x\nFile "shop/cart.py", line 3, in f', set()),
    ],
)
def test_paths_that_the_prose_gives_whole(text: str, paths: set[str]) -> None:
    assert set(read_task(text).whole_paths) == paths


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ('File "a/b.py", line 3, in run', [Frame("a/b.py", "run")]),
        ('File "C:\\a\\b.py", line 3', [Frame("C:/a/b.py", "")]),
        ("    at Router.match (/app/src/router.js:10:5)", [Frame("/app/src/router.js", "match")]),
        ("\t/go/src/app/main.go:42 +0x1d", [Frame("/go/src/app/main.go", "")]),
        ("a.py:3 is no path with folders", []),
    ],
)
def test_frames_of_tracebacks(text: str, frames: list[Frame]) -> None:
    assert list(read_task(text).frames) == frames
