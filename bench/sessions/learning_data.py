"""The labelled sessions: the development set of others, and our own in two halves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from loremap.model.turn import Speaker, Turn

Json = dict[str, Any]
OWN = Path(__file__).with_name("own-sessions.json")
BLIND = Path(__file__).with_name("blind-sessions.json")
_HALVING_BYTE = 17
"""Which byte of a project's hash decides: by it the halves came out of like size, before anything
was measured on them."""
_SECRET = "<secret:github>"


class Half(StrEnum):
    """The half whose errors are looked at, the one that is only measured, and beside them sessions
    written by somebody who did not know the rules, after these were made."""

    FIRST = "first"
    SECOND = "second"
    BLIND = "blind"


def development(folder: Path) -> list[Json]:
    """The sessions of `learning-dev.json`."""
    sessions: list[Json] = json.loads((folder / "learning-dev.json").read_text("utf-8"))
    return sessions


def own(half: Half | None = None) -> list[Json]:
    """Our own sessions, or a half of them, in which projects stay whole; or the blind ones."""
    if half is Half.BLIND:
        return list(json.loads(BLIND.read_text("utf-8")))
    text = OWN.read_text("utf-8").replace(_SECRET, _token())
    sessions: Sequence[Json] = json.loads(text)
    return [one for one in sessions if half is None or _half(one["project"]) is half]


def _half(project: str) -> Half:
    byte = hashlib.sha256(project.encode()).digest()[_HALVING_BYTE]
    return Half.SECOND if byte % 2 else Half.FIRST


def _token() -> str:
    """A token that looks like one; made here, for none is to lie in the repository."""
    return "ghp_" + hashlib.sha256(b"no token of anybody").hexdigest()[:36]


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation without any calls, and the words of what it settled; none of a decoy's."""

    name: str
    talks: tuple[tuple[Turn, ...], ...]
    settled: str = ""


def chats(folder: Path) -> list[Chat]:
    """The conversations and the decoys of `sde-dev.json`."""
    told = json.loads((folder / "sde-dev.json").read_text("utf-8"))
    tasks = [
        Chat(
            one["task_id"], _talks(one["conversations"]), f"{one['policy']} {one['non_guessable']}"
        )
        for one in told["tasks"]
        if one["source"] != "history"
    ]
    return tasks + [Chat(one["id"], (_talk(one["turns"]),)) for one in told["decoys"]]


def _talks(told: Sequence[Any]) -> tuple[tuple[Turn, ...], ...]:
    if "role" in told[0]:
        return (_talk(told),)
    return tuple(_talk(one["turns"] if isinstance(one, dict) else one) for one in told)


def _talk(told: Sequence[Json]) -> tuple[Turn, ...]:
    by = {"user": Speaker.PERSON, "assistant": Speaker.AGENT}
    return tuple(
        Turn(number=number, speaker=by[one["role"]], text=one["text"])
        for number, one in enumerate(told)
    )
