"""Words as the index sees them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.model.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserById", {"get", "user", "id", "getuserbyid"}),
        ("parse_order()", {"pars", "order", "parseorder"}),
        ("HTTPServer", {"http", "server", "httpserver"}),
        ("src/auth/config.py", {"src", "auth", "config", "py"}),
        ("the of and", set()),
        ("データ", {"デー", "ータ"}),
        ("接続", {"接続"}),
        ("ship it 🚀", {"ship", "u1f680"}),
        ("שלום", {"שלום"}),
        ("Café CAFÉ", {"cafe"}),
    ],
)
def test_words_of_a_text(text: str, expected: set[str]) -> None:
    assert set(words(text)) == expected


@given(st.text())
def test_words_never_break_the_search_syntax_and_do_not_depend_on_the_unicode_form(
    text: str,
) -> None:
    found = words(text)
    assert all(word and not set(word) & set(" \"'*:^(){}-+") for word in found)
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
