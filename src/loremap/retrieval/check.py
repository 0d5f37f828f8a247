"""Warnings at the point of action: which memories fire on a command, a file or a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from loremap.model.decay import effective_confidence
from loremap.model.memory import Memory, Trigger
from loremap.model.recall import Alert
from loremap.retrieval.visible import Mask
from loremap.safety.patterns import TriggerSet
from loremap.storage.warm import Warm

MOST_ALERTS = 3


class Watch:
    """The triggers of a store, read once and matched many times."""

    def __init__(self, memories: Sequence[Memory], warm: Warm) -> None:
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
        limit: int = MOST_ALERTS,
    ) -> list[Alert]:
        """What fires of the slots in `mask`, the most certain first; each memory at most once."""
        found: dict[str, Alert] = {}
        for fired in self._set.fired(command=command, files=files, text=text):
            memory = self._memories[str(fired.key)]
            if mask[self._slots[memory.id]]:
                found.setdefault(
                    memory.id,
                    Alert(memory, fired.on, fired.matched, fired.trigger.pattern),
                )
        ranked = sorted(found.values(), key=lambda alert: -effective_confidence(alert.memory, now))
        return ranked[:limit]


def watched(memory: Memory) -> list[Trigger]:
    """The triggers of a memory: its own, and the files it warns about."""
    about = [Trigger("glob", path, "file") for path in memory.files]
    return [*memory.triggers, *about]
