"""Dresses an answer as the JSON that the client at hand takes at that event."""

from __future__ import annotations

import json

from loremap.clients.registry import client_named
from loremap.interfaces.hooks.dress import parts_of
from loremap.model.hook import Moment, Reply


def nothing(client: str) -> bytes:
    """What says nothing to a client."""
    return client_named(client).silence


def dressed(reply: Reply, *, client: str, name: str, moment: Moment) -> bytes:
    """The answer as `client` takes it at the event it calls `name`. What the client would not pass
    on to the model there is left out, so that it cannot be taken for said."""
    known = client_named(client)
    said = Reply(
        reply.context if moment in known.takes else "",
        reply.notice,
        reply.hold if known.holds and moment is Moment.BEFORE_TOOL else "",
    )
    parts = parts_of(known.reply, name, context=said.context, notice=said.notice, hold=said.hold)
    if not parts:
        return known.silence
    return json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")
