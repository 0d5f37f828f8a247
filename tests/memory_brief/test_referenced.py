"""Whether what an agent said shows that it used a memory."""

from __future__ import annotations

import pytest
from injection_tools import memory

from loremap.agent.usage import referenced
from loremap.model.clock import short_id
from loremap.model.words import words

GIVEN = memory("Tokens.refresh never asks Redis whether the session lives")


@pytest.mark.parametrize(
    ("said", "asked", "used"),
    [
        ("I did as memory #{id} says.", "", True),
        ("The refresh of tokens never asks Redis about the session, so I added it.", "", True),
        ("I changed the cart.", "", False),
        ("Tokens are fine.", "", False),
        # The person said as much themselves.
        ("The refresh of tokens asks Redis.", "do tokens.refresh asks redis sessions?", False),
        ("", "", False),
    ],
)
def test_referenced(said: str, asked: str, used: bool) -> None:
    text = said.format(id=short_id(GIVEN.id))
    got = referenced(text, [GIVEN], spoken_of=set(words(asked)))
    assert got == ((GIVEN.id,) if used else ())
