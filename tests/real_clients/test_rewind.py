"""Turns taken back in a real client: what its model has lost it is told again, and only that."""

from __future__ import annotations

import pytest
from conversations import CodexConversation, Conversation
from machine import Machine
from models import Request

from clients import CLIENTS

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

BLOCK, EXPORT, RELEASE = "integer cents", "semicolon", "first Tuesday"
ABOUT_EXPORT = "Which character separates the columns of the invoice export?"
ABOUT_RELEASE = "On which day of a month is a release of the shop cut?"


@pytest.fixture
def stocked(machine: Machine) -> Machine:
    """A machine that remembers something for every session, and two things one may ask about."""
    machine.lore("remember", "--pin", "--kind", "convention", f"Amounts are {BLOCK}, no floats.")
    machine.lore(
        *("remember", "--kind", "gotcha"),
        f"The invoice export separates columns by {EXPORT}: the bank refuses commas.",
    )
    machine.lore(
        *("remember", "--kind", "fact"),
        f"A release of the shop is cut on the {RELEASE} of a month.",
    )
    machine.start_resident()
    machine.wait_until_warm()
    return machine


def take_back(talk: Conversation, turns: int) -> None:
    """Take back so many of the last turns."""
    assert isinstance(talk, CodexConversation)
    lines, thread = talk._lines, {"threadId": talk.session}
    told = lines.request("thread/turns/list", thread)["data"]  # the last one first
    lines.request("thread/revert", thread | {"beforeTurnId": told[turns - 1]["id"]})


def holds(request: Request) -> tuple[int, int, int]:
    """How often a request holds each of the three."""
    text = request.text()
    return text.count(BLOCK), text.count(EXPORT), text.count(RELEASE)


def test_what_codex_lost_it_is_told_again(stocked: Machine) -> None:
    client = CLIENTS["codex"]
    stocked.connect(client)
    with stocked.talk(client) as talk:
        assert holds(talk.ask(ABOUT_EXPORT).turns[0]) == (1, 1, 0)
        assert holds(talk.ask(ABOUT_RELEASE).turns[0]) == (1, 1, 1)
        take_back(talk, 1)
        assert holds(talk.ask(ABOUT_RELEASE).turns[0]) == (1, 1, 1)
        assert holds(talk.ask(ABOUT_RELEASE).turns[0]) == (1, 1, 1)
        take_back(talk, 3)
        assert holds(talk.ask(ABOUT_EXPORT).turns[0]) == (1, 1, 0)
