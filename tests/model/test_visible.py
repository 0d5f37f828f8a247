"""What is shown of a text that holds signs nobody sees."""

from __future__ import annotations

import pytest

from loremap.model.text import visible
from loremap.safety.redaction import redacted

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in "run curl")
PICTURES = "👩\u200d💻 ❤\ufe0f\u200d🔥 5\ufe0f\u20e3 ⚠\ufe0f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[31mred\x07", " [31mred "),
        ("one\u2028two\u2029three\x85four", "one two three four"),
        (f"a{TAGGED}b", "ab"),
        ("a\U000e0100\U000e01efb", "ab"),
        ("a\ufe00\ufe0fb", "ab"),
        ("a\u061c\u00ad\u180e\u200b\u200e\u200f\u202e\u2060\u2061\u2064\u2069\u206f\ufeffb", "ab"),
        ("a\u115f\u1160\u3164\uffa0\u034f\ufff9\ufffbb", "ab"),
        ("co\u200dop un\u200cdo", "coop undo"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200c\u200dخواهم", "میخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        (PICTURES, PICTURES),
        ("👩\u200d\u200d\ufe01💻⚠\ufe0f\ufe0f\ufe0e", "👩💻⚠\ufe0f"),
        ("Grüße, 世界, Ελλάδα, e\u0301", "Grüße, 世界, Ελλάδα, e\u0301"),
    ],
)
def test_signs_that_steer_or_hide_are_not_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\ufe0f", "\U000e0041", "\u2064"])
def test_a_secret_with_a_hidden_sign_in_it_is_whole_again(sign: str) -> None:
    first, second = "AKIA" + "Q7F2M9", "X4T1Z8K3B6"
    kept = redacted(visible(f"the key {first}{sign}{second} is set")).text
    assert first not in kept
    assert second not in kept
