"""Answers one hook: bytes in, bytes out, nothing raised, because memory never stops an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from loremap.clients.hook_events import hook_event
from loremap.clients.surroundings import surrounded
from loremap.interfaces.hooks.answers import dressed, nothing
from loremap.model.hook import HookEvent, Reply
from loremap.storage.caught import caught


class Receiver(Protocol):
    """Who takes events."""

    @property
    def home(self) -> Path:
        """The data folder, where what goes wrong is noted."""

    def receive(self, event: HookEvent, *, ticket: str = "") -> Reply:
        """The answer to an event."""

    def undelivered(self, event: HookEvent) -> None:
        """The answer to an event reached nobody."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hook prints; `lost` is called where it reached nobody."""

    text: bytes
    lost: Callable[[], None] = lambda: None
    recorded: bool = True


def answered(
    intake: Receiver,
    *,
    client: str,
    name: str | None,
    payload: bytes,
    env: Mapping[str, str],
    now: datetime,
    ticket: str = "",
) -> Answer:
    """What the hook prints for `payload`; what says nothing to the client where all goes wrong."""
    try:
        event = hook_event(payload, client=client, name=name, env=env, now=now)
        if event is None:
            return Answer(nothing(client))
        whole = surrounded(event)
        reply = intake.receive(whole, ticket=ticket)
        text = dressed(reply, client=event.client, name=event.name, moment=event.moment)
        lost = partial(intake.undelivered, whole) if reply else lambda: None
        return Answer(text, lost, recorded=reply.recorded)
    except Exception as fault:  # noqa: BLE001  the hook's own rule: it is noted, never raised
        caught(intake.home, f"answer {client} {name or ''}".strip(), fault)
        return Answer(nothing(client), recorded=False)
