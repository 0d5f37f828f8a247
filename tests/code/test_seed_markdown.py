"""How Markdown and reStructuredText are cut into blocks and sentences."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loremap.code.documents.markdown import blocks
from loremap.code.documents.prose import plain, sentences
from loremap.code.documents.restructured import markdown_of
from loremap.code.seed.statements import statements
from loremap.code.seed.value import MAX_CHARS

DOCUMENT = """\
---
title: Rules
---
# Guide

Intro text
on two lines.

<!-- a comment
over lines -->
## Testing

When you write tests:

- Use fixtures
  wherever it helps.
  - Never mock.
- Keep them fast.

| a | table |
|---|-------|

> [!NOTE]
> Quoted advice.

```bash
make test  # all
```

Setext
------

1. First

       indented code
"""


def test_a_document_is_cut_into_blocks() -> None:
    found = [(b.sort, b.text, b.line, b.headings, b.parent) for b in blocks(DOCUMENT)]
    testing = ("Guide", "Testing")
    assert found == [
        ("paragraph", "Intro text on two lines.", 6, ("Guide",), None),
        ("paragraph", "When you write tests:", 13, testing, None),
        ("item", "Use fixtures wherever it helps.", 15, testing, 1),
        ("item", "Never mock.", 17, testing, 2),
        ("item", "Keep them fast.", 18, testing, 1),
        ("row", "a | table", 20, testing, None),
        ("paragraph", "Quoted advice.", 23, testing, None),
        ("code", "make test  # all", 27, testing, 6),
        ("item", "First", 33, ("Guide", "Setext"), None),
        ("code", "indented code", 35, ("Guide", "Setext"), 8),
    ]


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("**Always** use _this_ [style](https://x.org/a_(b)).", "Always use this style."),
        ("Use `__init__` and `**kwargs`", "Use `__init__` and `**kwargs`"),
        ("**`ruff` checks** it", "`ruff` checks it"),
        ("snake_case and a * b * c stay", "snake_case and a * b * c stay"),
        ("✅ Do it ![badge](b.svg)", "Do it"),
        ("a <b>bold</b> word[^1]", "a bold word"),
        ("a  lot\tof space", "a lot of space"),
    ],
)
def test_marks_are_taken_off(marked: str, text: str) -> None:
    assert plain(marked) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Use A. Then use B.", ["Use A.", "Then use B."]),
        ("Use X, e.g. Y. It helps!", ["Use X, e.g. Y.", "It helps!"]),
        ("Version 3.8 is old. `go` is not.", ["Version 3.8 is old.", "`go` is not."]),
        ("Write `a. B` there.", ["Write `a. B` there."]),
        ("Use it (as in A. B) well.", ["Use it (as in A. B) well."]),
    ],
)
def test_sentences_are_told_apart(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


RST = """\
Title
=====

Short
~~~~~

Run ``tox``::

    tox -e py

Then see `the docs <https://x.org>`_ and :pep:`735`.

.. note::
   Mind the gap.

.. image:: x.png
   :alt: gone

.. code-block:: bash

   make test
"""


def test_restructured_text_becomes_markdown_line_for_line() -> None:
    assert markdown_of(RST).count("\n") == RST.count("\n")
    found = [(b.sort, b.text.strip(), b.line, b.headings) for b in blocks(markdown_of(RST))]
    assert found == [
        ("paragraph", "Run `tox`:", 7, ("Title", "Short")),
        ("code", "tox -e py", 9, ("Title", "Short")),
        ("paragraph", "Then see the docs and `735`.", 11, ("Title", "Short")),
        ("paragraph", "Mind the gap.", 14, ("Title", "Short")),
        ("code", "make test", 21, ("Title", "Short")),
    ]


PIECES = st.sampled_from(
    [
        "# Testing\n",
        "- ![badge](b.svg)\n",
        "Never " + "ever " * 70 + "stop.\n",
        "## Style\n",
        "- Never use `any`.\n",
        "  - Prefer tabs\n",
        "1. Run `make test`.\n",
        "When testing:\n",
        "\n",
        "```bash\n",
        "```\n",
        "make test # all\n",
        "| a | b |\n",
        "> quote\n",
        "Always write tests. They must pass.\n",
        "    code\n",
        "---\n",
        "===\n",
        "~~~\n",
        "<!--",
        "-->",
        "\t- Use tabs\n",
        "* **Do not** log\n",
        "[x]: http://y\n",
        ":\n",
        "`",
        "**",
        "_",
        "\ue0000;",
    ]
)
DOCUMENTS = st.lists(PIECES | st.text(max_size=20), max_size=30).map("".join)


@settings(max_examples=400)
@example("0```bash\n0- Never use `any`.\n---\nmake test # all\n", False)  # a heading of two lines
@given(DOCUMENTS, st.booleans())
def test_any_text_is_read(text: str, strict: bool) -> None:
    lines = text.count("\n") + 1
    letters = re.sub(r"[\W_]+", "", text.casefold())
    for block in blocks(text):
        assert 1 <= block.line <= lines
    for found in statements(text, strict=strict):
        assert 1 <= found.line <= lines
        assert 0 < len(found.text) <= MAX_CHARS
        assert "\n" not in found.text
        assert all(word in letters for word in re.findall(r"[^\W_]+", found.text.casefold()))


@given(DOCUMENTS)
def test_any_restructured_text_keeps_its_lines(text: str) -> None:
    assert markdown_of(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "#" * 200_000,
        "# " + " #" * 100_000 + "x",
        "`" * 200_001,
        "- " * 100_000,
        "-\n" * 100_000,
        "\n" * 200_000,
        "<!--" * 50_000,
        "[" * 200_000,
        "![](" * 50_000,
        "**a" * 60_000,
        "Never use it. " * 15_000,
        "~~~\n" * 50_000,
        "> " * 100_000,
        ("x" * 3_900 + "\n") * 50,
        ("[a](" * 900 + "\n") * 60,
        (("`" * 50 + "a") * 70 + "\n\n") * 60,
        ("if " + "a, " * 1_200 + "\n\n") * 60,
        "- a:\n" * 40_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    begin = time.process_time()
    statements(text, strict=False)
    statements(markdown_of(text), strict=True)
    assert time.process_time() - begin < 5
