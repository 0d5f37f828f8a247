"""A trigger as people and agents write it."""

from __future__ import annotations

from typing import cast

from loremap.model.memory import Trigger, TriggerKind, TriggerPlace


def parsed_trigger(written: str, on: str) -> Trigger:
    """`glob:…` and `regex:…` as patterns, anything else as it stands."""
    kind, colon, pattern = written.partition(":")
    if not colon or kind not in ("literal", "glob", "regex"):
        kind, pattern = "literal", written
    return Trigger(cast(TriggerKind, kind), pattern, cast(TriggerPlace, on))
