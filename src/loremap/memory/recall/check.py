"""Warnings at the point of action: which memories fire on a command, a file or a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from loremap.memory.recall.context import Mask
from loremap.memory.recall.freshness import WEIGHT
from loremap.model.clock import from_ms
from loremap.model.decay import effective_confidence
from loremap.model.memory import Memory, Trigger
from loremap.model.recall import Alert, Hit
from loremap.safety.patterns import TriggerSet
from loremap.storage.warm import Warm

MAX_ALERTS = 3

Told = Callable[[Sequence[Memory]], Sequence[Hit]]
"""Which of some memories may speak here, and what is to be said of their code and branch."""


class Watch:
    """The triggers of a store, read once and matched many times."""

    def __init__(self, memories: Sequence[Memory], warm: Warm) -> None:
        self._warm = warm
        self._memories = {memory.id: memory for memory in memories}
        self._slots = {id_: slot for slot, id_ in enumerate(warm.ids) if id_ in self._memories}
        self._set = TriggerSet.compile(
            (memory.id, trigger) for memory in memories for trigger in watched(memory)
        )

    def alerts(
        self,
        *,
        command: str | None,
        files: Iterable[str],
        text: str | None,
        mask: Mask,
        now: datetime,
        limit: int = MAX_ALERTS,
        told: Told | None = None,
    ) -> list[Alert]:
        """What fires of the slots in `mask`, the most certain first; each memory at most once, and
        none that `told` leaves out, because its code or its branch is not here."""
        found: dict[str, Alert] = {}
        for fired in self._set.fired(command=command, files=files, text=text):
            slot = self._slots[str(fired.key)]
            if mask[slot] and str(fired.key) not in found:
                memory = self._as_used(str(fired.key), slot)
                found[memory.id] = Alert(memory, fired.on, fired.matched, fired.trigger.pattern)
        speaking = list(found.values())
        if told and found:
            speaking = [
                replace(found[hit.memory.id], freshness=hit.freshness, unmerged=hit.unmerged)
                for hit in told([one.memory for one in speaking])
            ]
        return sorted(speaking, key=lambda one: -_certain(one, now))[:limit]

    def _as_used(self, id_: str, slot: int) -> Memory:
        """A memory with the uses that it has by now: they alone may have changed since it was read,
        and the arrays know them."""
        held = self._memories[id_]
        since = int(self._warm["access_count"][slot]) - held.access_count
        return replace(
            held,
            uses=held.uses + since,
            last_accessed_at=from_ms(int(self._warm["last_accessed_at"][slot])),
        )


def _certain(alert: Alert, now: datetime) -> float:
    """How sure a warning is, less where the code it speaks of was changed."""
    weight = 1.0 if alert.freshness is None else WEIGHT.get(alert.freshness.freshness, 1.0)
    return weight * effective_confidence(alert.memory, now)


def watched(memory: Memory) -> list[Trigger]:
    """The triggers of a memory: its own, and the files it warns about."""
    about = [Trigger("glob", path, "file") for path in memory.files]
    return [*memory.triggers, *about]
