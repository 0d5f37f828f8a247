"""Answers one hook: bytes in, bytes out, nothing raised, because memory never stops an agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

from loremap.capture.agents.read import hook_event
from loremap.capture.agents.surroundings import surrounded
from loremap.interfaces.hooks.answers import dressed, nothing
from loremap.model.hook import HookEvent, Reply
from loremap.ops.caught import caught


class Receiver(Protocol):
    """Who takes events."""

    @property
    def home(self) -> Path:
        """The data folder, where what goes wrong is noted."""

    def receive(self, event: HookEvent) -> Reply:
        """The answer to an event."""


def answered(
    reception: Receiver,
    *,
    client: str,
    name: str | None,
    payload: bytes,
    env: Mapping[str, str],
    now: datetime,
) -> bytes:
    """What the hook prints for `payload`; what says nothing to the client where all goes wrong."""
    try:
        event = hook_event(payload, client=client, name=name, env=env, now=now)
        if event is None:
            return nothing(client)
        reply = reception.receive(surrounded(event))
        return dressed(reply, client=event.client, name=event.name, moment=event.moment)
    except Exception as fault:  # noqa: BLE001  the hook's own rule: it is noted, never raised
        caught(reception.home, f"answer {client} {name or ''}".strip(), fault)
        return nothing(client)
