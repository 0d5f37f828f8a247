"""What counts as the same span: layout and its own name do not matter, a single sign does."""

from __future__ import annotations

import pytest

from loremap.code.blocks import blocks_of
from loremap.code.sketch import Sketch, read, sketch_of, tokens, written

OLD = """def refresh(token, *, ttl):
    if token.expired:
        return issue(token.user, ttl=ttl, kind="short")
    return refresh(token, ttl=0)
"""


def digest(text: str, name: str, language: str = "python") -> str:
    return sketch_of(tokens(text, names=[name], language=language)).digest


@pytest.mark.parametrize(
    ("new", "same"),
    [
        (OLD.replace("    ", "\t"), True),
        (OLD.replace("\n", "\r\n"), True),
        (OLD.replace("(token.user, ttl=ttl", "(\n        token.user,\n        ttl=ttl"), True),
        (OLD.replace('"short")', '"short",\n        )'), True),  # as a formatter closes it
        (OLD.replace('"', "'"), True),
        (OLD.replace("refresh", "renew"), True),
        (OLD.replace("ttl=0", "ttl=1"), False),
        (OLD.replace("token.expired", "not token.expired"), False),
        (OLD.replace('"short"', '"shore"'), False),
        (OLD.replace("def refresh", "def renew"), False),  # now it calls another
    ],
)
def test_layout_and_name_do_not_matter(new: str, same: bool) -> None:
    name = "renew" if "def renew" in new else "refresh"
    assert (digest(new, name) == digest(OLD, "refresh")) is same


def test_quotes_matter_where_they_mean_something() -> None:
    assert digest("echo '$HOME'", "x", "bash") != digest('echo "$HOME"', "x", "bash")


def test_likeness_is_what_two_spans_share() -> None:
    whole = sketch_of(tokens(OLD))
    edited = sketch_of(tokens(OLD.replace("ttl=0", "ttl=1")))
    other = sketch_of(tokens("class Queue:\n    items: list[int] = []\n"))
    assert whole.likeness(whole) == 1.0
    assert 0.6 < whole.likeness(edited) < 1.0
    assert whole.likeness(other) == 0.0
    assert sketch_of([]).likeness(Sketch("x", ())) == 0.0


def test_long_spans_are_compared_by_a_fair_sample() -> None:
    words = [f"word{number}" for number in range(3000)]
    half = sketch_of(words[:2000])
    for end in (500, 1500, 2500):
        other = sketch_of(words[end - 400 : end + 400])
        assert half.likeness(other) <= half.at_most(other)
    assert half.likeness(sketch_of(words[1000:3000])) == pytest.approx(1 / 3, abs=0.2)


def test_a_sketch_is_read_back_and_another_version_is_not() -> None:
    sketch = Sketch("0" * 32, (1, 5, 4_000_000_000), 0.25, 2, 1)
    assert read(written(sketch)) == sketch
    assert read("0:abc") is None
    assert read("") is None


@pytest.mark.parametrize(
    ("path", "text", "titles"),
    [
        ("Makefile", "OUT = b\n\n# builds\nall: x\n\tcc\n\n\tln\ntest:\n\tpytest\n",
         ["OUT", "all", "", "test"]),
        ("ci.yml", "name: ci\non: push\njobs:\n  test:\n    runs-on: x\n  lint:\n    runs-on: y\n",
         ["name", "on", "jobs", "test", "lint"]),
        ("a.toml", "[tool.x]\nline = 1\nlist = [\n  1,\n]\n", ["tool.x", "line", "list"]),
        ("a.md", "# Head\ntext\nmore\n\n- one\n- two\n  goes on\n\n```\na\n\nb\n```\n",
         ["", "", "", "", ""]),
    ],
)  # fmt: skip
def test_blocks_of_files_without_a_grammar(path: str, text: str, titles: list[str]) -> None:
    assert [block.title for block in blocks_of(text, path)] == titles


def test_a_comment_belongs_to_what_follows_and_a_fence_is_one_block() -> None:
    rule = blocks_of("x: y\n\tz\n# how to test\ntest:\n\tpytest\n", "Makefile")[1]
    assert rule.text.startswith("# how to test")
    assert (rule.start_line, rule.end_line) == (3, 5)
    fenced = blocks_of("text\n\n```\na\n\nb\n```\nafter\n", "a.md")
    assert [block.text for block in fenced] == ["text", "```\na\n\nb\n```\nafter"]
