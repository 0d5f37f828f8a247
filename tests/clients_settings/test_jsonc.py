"""A JSON text keeps every byte that is not ours, whatever its comments, commas and line ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremap.clients.settings.jsonc import ANY, END, containers, inserted, parsed, removed
from loremap.clients.settings.jsonc_tree import Malformed
from loremap.errors import BadInput

OURS = {"type": "command", "command": "ours"}


def is_ours(value: Any) -> bool:
    return value == OURS


TEXTS = [
    ('{"a": 1}', '{"a": 1, "k": [{"type": "command", "command": "ours"}]}'),
    (
        '{\n  "a": 1 // one\n}\n',
        (
            '{\n  "a": 1, // one\n  "k": [\n    {\n      "type": "command",\n'
            '      "command": "ours"\n    }\n  ]\n}\n'
        ),
    ),
    (
        '\ufeff{\r\n\t"a": [1, 2,],\r\n}\r\n',
        (
            '\ufeff{\r\n\t"a": [1, 2,],\r\n\t"k": [\r\n\t\t{\r\n\t\t\t"type": "command",\r\n'
            '\t\t\t"command": "ours"\r\n\t\t}\r\n\t],\r\n}\r\n'
        ),
    ),
    (
        '{\n  "k": [\n    // mine\n    {"command": "theirs"} /* end */\n  ]\n}',
        (
            '{\n  "k": [\n    // mine\n    {"command": "theirs"}, /* end */\n    {\n'
            '      "type": "command",\n      "command": "ours"\n    }\n  ]\n}'
        ),
    ),
    (
        '{"a": 1 // c\n}',
        '{"a": 1, // c\n"k": [\n  {\n    "type": "command",\n    "command": "ours"\n  }\n]\n}',
    ),
]


@pytest.mark.parametrize(("before", "after"), TEXTS)
def test_a_value_is_put_in_and_taken_out(before: str, after: str) -> None:
    made = inserted(before, ("k", END), OURS)
    assert made == after
    assert removed(made, ("k", ANY), is_ours, kept=containers(before)) == before


@pytest.mark.parametrize("text", ["", " \n", "// only a note\n", "\ufeff", "/* x */"])
def test_a_text_without_a_value_gets_one(text: str) -> None:
    made = inserted(text, ("hooks", "Stop", END), OURS)
    assert made.startswith(text)
    assert parsed(made) == {"hooks": {"Stop": [OURS]}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1', 1),
        ('{\n "a": 1\n "b": 2}', 3),
        ("{\n'a': 1}", 2),
        ('{"a": 1} x', 1),
        ('{"a": tru}', 1),
        ('{"a": "x\ny"}', 1),
        ('{"a" 1}', 1),
        ("[" * 5000, 1),
        ('{"a": 01}', 1),
        ("{,}", 1),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        inserted(text, ("k",), 1)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": null}', '{"hooks": {"Stop": {}}}', "[]"]
)
def test_another_shape_is_refused_and_not_overwritten(text: str) -> None:
    with pytest.raises(BadInput):
        inserted(text, ("hooks", "Stop", END), OURS)


def test_a_key_that_is_there_is_replaced_where_it_stands() -> None:
    text = '{\n  "m": {\n    "k": "old", // why\n    "z": 1\n  }\n}'
    assert inserted(text, ("m", "k"), 2) == text.replace('"old"', "2")


def test_of_two_equal_keys_the_last_counts() -> None:
    assert inserted('{"k": 1, "k": 2}', ("k",), 3) == '{"k": 1, "k": 3}'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"k": ["x", 1], "b": 2}', '{"k": [1], "b": 2}'),
        ('{"k": [1, // one\n "x"]}', '{"k": [1 // one\n]}'),
        ('{"k": [1, "x", 2]}', '{"k": [1, 2]}'),
        ('{"k": ["x", "x",], "b": 1}', '{"b": 1}'),
        ('{"k": [/* note */ "x"]}', '{"k": [/* note */]}'),
    ],
)
def test_ours_is_removed_from_among_others(text: str, left: str) -> None:
    assert removed(text, ("k", ANY), lambda value: value == "x") == left
    parsed(left)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\t", ' // a, "b": {\n', "/* x } */", "\r\n"])


@st.composite
def texts(draw: st.DrawFn, value: Any) -> str:
    """A JSON text of `value` with spaces, comments and trailing commas anywhere."""
    if isinstance(value, dict | list) and value:
        keyed = isinstance(value, dict)
        parts = []
        for each in value:
            key = f"{json.dumps(each)}{draw(SPACE)}:{draw(SPACE)}" if keyed else ""
            inner = draw(texts(value[each] if keyed else each))
            parts.append(f"{draw(SPACE)}{key}{inner}{draw(SPACE)}")
        end = draw(st.sampled_from(["", ",", ",\n"]))
        return ("{" if keyed else "[") + ",".join(parts) + end + ("}" if keyed else "]")
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


DOCUMENTS = st.dictionaries(st.sampled_from(["a", "hooks", "Stop", "é"]), JSON, max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.data(), DOCUMENTS)
def test_any_text_keeps_its_value_and_its_bytes(data: st.DataObject, value: dict[str, Any]) -> None:
    text = data.draw(st.sampled_from(["", "\ufeff", "// head\n"])) + data.draw(texts(value))
    text += data.draw(SPACE)
    assert parsed(text) == value
    made = inserted(text, ("ours", "Stop", END), OURS)
    assert parsed(made) == {**value, "ours": {"Stop": [OURS]}}
    twice = inserted(made, ("ours", "Start", END), OURS)
    assert parsed(twice) == {**value, "ours": {"Stop": [OURS], "Start": [OURS]}}
    back = removed(twice, ("ours", ANY, ANY), is_ours)
    assert parsed(back) == value
    if value:
        assert back == text


@settings(max_examples=100, deadline=None)
@given(st.data(), st.lists(JSON, min_size=1, max_size=4))
def test_an_array_keeps_its_other_items(data: st.DataObject, items: list[Any]) -> None:
    text = data.draw(texts({"hooks": {"Stop": items}}))
    made = inserted(text, ("hooks", "Stop", END), OURS)
    assert parsed(made) == {"hooks": {"Stop": [*items, OURS]}}
    assert removed(made, ("hooks", ANY, ANY), is_ours, kept=containers(text)) == text
    more = inserted(made, ("hooks", "Stop", END), "later")
    assert parsed(removed(more, ("hooks", ANY, ANY), is_ours)) == {
        "hooks": {"Stop": [*items, "later"]}
    }
