"""Fingerprint, summary and limits: tables and properties."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.memory.admission.fingerprint import fingerprint
from loremap.memory.admission.limits import Limits, refusal_for
from loremap.memory.admission.summary import BUDGET_TOKENS, SLACK_TOKENS, summary_of, tokens_in
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Trigger


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Use tabs", "use   TABS\n", True),
        ("café", "cafe\u0301", True),
        ("Straße", "STRASSE", True),
        ("# Use - tabs", "Use tabs.", False),
        ("# Use - tabs", "Use spaces", False),
    ],
)
def test_a_fingerprint_is_blind_to_form_only(one: str, other: str, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same


def test_a_sessions_own_memory_is_told_apart() -> None:
    assert fingerprint("x", session_id="a") != fingerprint("x", session_id="b")
    assert fingerprint("x", session_id="a") != fingerprint("x")


@given(st.text(), st.sampled_from(["NFC", "NFD"]), st.sampled_from([" ", "\n", "\t "]))
def test_a_fingerprint_does_not_depend_on_form_or_white_space(
    text: str, form: str, space: str
) -> None:
    turned = unicodedata.normalize(form, f"{space}{text.replace(' ', space)}{space}")
    assert fingerprint(turned) == fingerprint(text)


TENANT = "The cache key must include the tenant."
COST = (
    "Otherwise one tenant can read what another tenant stored, which happened in March, went "
    "unnoticed for nine days and cost us a whole weekend of cleaning up after it was found."
)
IMPORT = (
    "When the nightly import of the product catalogue from the supplier fails half-way, the rows "
    "that were written stay, and the next run, which starts at two, skips them without a word."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use tabs.", "Use tabs."),
        ("# Use\n\n- tabs", "# Use - tabs"),
        (f"{TENANT} {COST}", TENANT),
        (IMPORT, IMPORT.partition(", which starts")[0] + " …"),
    ],
)
def test_a_summary_says_the_point(text: str, expected: str) -> None:
    assert summary_of(text) == expected


@given(st.text(min_size=1, max_size=3000))
def test_a_summary_keeps_to_its_budget(text: str) -> None:
    summary = summary_of(text)
    assert tokens_in(summary) <= BUDGET_TOKENS + SLACK_TOKENS + 2 or len(summary) <= 64
    assert "\n" not in summary


@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        (Candidate(content=""), "empty"),
        (Candidate(content=" \n\t"), "empty"),
        (Candidate(content="x" * 3000), "3,000 bytes"),
        (Candidate(content="é" * 1100), "2,200 bytes"),
        (Candidate(content="a\x00b"), "binary"),
        (Candidate(content="a\udcffb"), "binary"),
        (Candidate(content="\ufffd" * 5), "binary"),
        (Candidate(content="ok", tags=("",)), "tag"),
        (Candidate(content="ok", tags=tuple(map(str, range(30)))), "20 tags"),
        (Candidate(content="ok", snippet="x" * 5000), "together"),
        (Candidate(content="ok", confidence=2.0), "confidence"),
        (Candidate(content="ok", importance=-1), "importance"),
        (Candidate(content="ok", triggers=(Trigger("literal", "x"),)), "cannot carry triggers"),
        (Candidate(content="ok"), None),
        (Candidate(content="code:\n\tx = 1\r\n"), None),
        (
            Candidate(content="ok", kind=Kind.WARNING, triggers=(Trigger("literal", "x"),)),
            None,
        ),
    ],
)
def test_what_may_be_remembered(candidate: Candidate, says: str | None) -> None:
    refusal = refusal_for(candidate, Limits())
    assert refusal is None if says is None else (refusal is not None and says in refusal)
