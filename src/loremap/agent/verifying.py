"""The second look at what was found for a prompt, by the optional small model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loremap.memory.engine import Engine
from loremap.memory.fitting import fitting
from loremap.model.recall import Hit
from loremap.sidecar.ask import Task


class BySidecar:
    """Asks the small model which hits fit."""

    def __init__(self, engine: Engine) -> None:
        self._sidecar = engine.sidecar

    @property
    def is_on(self) -> bool:
        """Whether it is asked now: where it is off, or the day's ceiling is met, rules stand
        alone."""
        return self._sidecar.does(Task.VERIFY)

    def relevant(self, task: str, hits: Sequence[Hit]) -> Collection[str]:
        """The ids of those that fit the task; raises a `ModelError` where it does not say."""
        return fitting(self._sidecar, task, [hit.memory for hit in hits])
