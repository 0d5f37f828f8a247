"""Every text of a candidate is cleaned: of its own secrets, and of what another one told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from loremap.memory.admission.prepare import cleaned
from loremap.model.memory import Candidate, Procedure, Trigger
from told_secrets import told

TELLS = told(31)[0]
QUIET = Candidate(content="The mailer retries three times")

PLACES: dict[str, Callable[[Candidate, str], Candidate]] = {
    "content": lambda one, text: replace(one, content=text),
    "summary": lambda one, text: replace(one, summary=text),
    "snippet": lambda one, text: replace(one, snippet=text),
    "confidence_reason": lambda one, text: replace(one, confidence_reason=text),
    "session_id": lambda one, text: replace(one, session_id=text),
    "agent": lambda one, text: replace(one, agent=text),
    "role": lambda one, text: replace(one, role=text),
    "source_file": lambda one, text: replace(one, source_file=text),
    "seasonal": lambda one, text: replace(one, seasonal=text),
    "tags": lambda one, text: replace(one, tags=("mail", text)),
    "files": lambda one, text: replace(one, files=("a.py", text)),
    "symbols": lambda one, text: replace(one, symbols=("a.py::main", text)),
    "triggers": lambda one, text: replace(one, triggers=(Trigger("literal", text),)),
    "procedure": lambda one, text: replace(
        one, procedure=Procedure(text, text, (text,), (text,), (text,))
    ),
}
NO_TEXTS = frozenset(
    """
    kind scope origin created_by visibility confidence importance pinned confirmed message_start
    message_end branch commit_id source_line created_at replaces
    """.split()
)


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_goes_wherever_it_is_told(place: str) -> None:
    clean, found = cleaned(PLACES[place](QUIET, TELLS.text))
    assert TELLS.secret not in repr(clean)
    assert found


@pytest.mark.parametrize("place", sorted(PLACES.keys() - {"content"}))
def test_what_the_text_tells_goes_where_it_has_no_label(place: str) -> None:
    given = PLACES[place](replace(QUIET, content=TELLS.text), f"echo {TELLS.secret}")
    clean, _ = cleaned(given)
    assert TELLS.secret not in repr(clean)


def test_a_new_field_is_thought_of() -> None:
    assert {field.name for field in fields(Candidate)} == set(PLACES) | NO_TEXTS
