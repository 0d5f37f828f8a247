"""What a client would be given in a new session: the memory agent is asked, nothing is kept."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loremap.config.folders import Folders
from loremap.injection.piece import Piece
from loremap.lore.companion.agent import Companion
from loremap.lore.residence import Residence
from loremap.lore.switches import switched_off
from loremap.model.client import Client
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.tokens import tokens

PATIENCE_MS = 2_000
"""The longest deadline there is: a preview shows what is said where nothing is late."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be said, and what it is made of."""

    moment: Moment
    text: str = ""
    pieces: tuple[Piece, ...] = ()
    is_off: bool = False
    """Memory is switched off here."""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return tokens(self.text)


def preview(places: Folders, folder: Path, client: Client, prompt: str = "") -> Preview:
    """What a client is given at the start of a session in `folder`, or at its first prompt."""
    residence = Residence(places)
    companion = None
    try:
        house = residence.house
        patient = {
            **house.settings.values,
            "inject.deadline_ms": PATIENCE_MS,
            "metrics.hold_out": 0,
        }
        house.settings = replace(house.settings, values=patient)
        house.seat.query_vector("the first question loads the model")
        companion = Companion(residence)
        with residence.at(folder, watched=False) as lore:
            if switched_off(lore):
                return Preview(Moment.SESSION_START, is_off=True)
        return _played(companion, residence, folder, client, prompt)
    finally:
        if companion is not None:
            companion.close()
        residence.close()


def _played(
    companion: Companion, residence: Residence, folder: Path, client: Client, prompt: str
) -> Preview:
    def event(moment: Moment, **more: Any) -> HookEvent:
        return HookEvent(
            client=client.name,
            name=moment.value,
            moment=moment,
            session_id=session,
            at=residence.now(),
            folder=folder,
            key=uuid.uuid4().hex,
            incognito=True,
            **more,
        )

    session = f"preview-{uuid.uuid4().hex}"
    asked = event(Moment.SESSION_START, beginning=Beginning.STARTUP)
    reply = companion.handle(asked)
    companion.settle()
    if prompt:
        # Some clients tell of a prompt only with the first tool.
        moment = Moment.PROMPT if Moment.PROMPT in client.takes else Moment.AFTER_TOOL
        asked = event(moment, prompt=prompt)
        reply = companion.handle(asked)
    return Preview(asked.moment, reply.context, companion.pieces_of(asked))
