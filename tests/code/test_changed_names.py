"""Which names mean something else after an edit, over small files."""

from __future__ import annotations

import pytest

from loremap.code.changed_names import changed_names
from loremap.code.extraction.extract import extract

BEFORE = """
import os
from tools import helper

LIMIT = 3

class Base:
    pass

class Thing(Base):
    def run(self):
        return helper()

    def stop(self):
        print("stop")

def make():
    return Thing()

alias = make
"""


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('print("stop")', 'print("halt")', set()),  # a body that nobody sees
        ("LIMIT = 3\n", "# said\n\nLIMIT = 3\n", set()),  # lines only
        ("alias = make\n", "alias = make\n\ndef added():\n    return 1\n", {"added"}),
        ("    def stop(self):", "    def halt(self):", {"stop", "halt"}),
        ("return helper()", "return os", {"run"}),
        ("return Thing()", "return Base()", {"make", "alias"}),  # alias is made from make
        ("def make():", "def make(size):", {"make", "alias"}),
        ("import helper", "import helper as help_", {"helper", "help_", "run"}),
        ("class Thing(Base):", "class Thing:", None),  # inherited names are spelt nowhere
        ("import os\n", "import os\nfrom tools import *\n", None),
    ],
)
def test_changed_names(old: str, new: str, names: set[str] | None) -> None:
    assert old in BEFORE
    before = extract(BEFORE.encode(), "python")
    after = extract(BEFORE.replace(old, new).encode(), "python")
    assert changed_names(before, after) == names


def test_too_many_are_all() -> None:
    many = "".join(f"def f{number}(): ...\n" for number in range(40))
    assert changed_names(extract(b"", "python"), extract(many.encode(), "python")) is None
