"""The list of faults fits the source: each can be put into it, and names tests that are there."""

from __future__ import annotations

import ast

import pytest
from mutant_list import ROOT, Mutant, Stale, mutants

FAULTS = mutants()


def test_there_are_enough_and_none_twice() -> None:
    assert len(FAULTS) >= 60
    assert len({fault.fault for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.text, fault.instead) for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.fault)
def test_a_fault_can_be_put_into_the_source(fault: Mutant) -> None:
    ast.parse(fault.applied((ROOT / fault.path).read_text("utf-8")))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.fault)
def test_the_tests_that_ought_to_notice_it_are_there(fault: Mutant) -> None:
    for test in fault.tests:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text("utf-8"), test


@pytest.mark.parametrize("source", ["", "x = 1\nx = 1\n"])
def test_a_text_that_is_not_there_once_is_an_error(source: str) -> None:
    fault = Mutant(fault="", file="a.py", text="x = 1", instead="x = 2", tests=())
    with pytest.raises(Stale, match=f"{source.count('x')} times"):
        fault.applied(source)
