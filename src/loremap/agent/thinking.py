"""Works out the vector of a question beside what is looked up for it meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from loremap.agent.metrics.meter import Noting
from loremap.agent.metrics.rules import Measure
from loremap.embedding.protocol import Vectors
from loremap.embedding.slot import EmbedderSlot

THINKERS = 2

T = TypeVar("T")


class Thinking:
    """The vector of one question; the model may be at it still."""

    def __init__(self, coming: Future[Vectors | None] | None) -> None:
        self._coming = coming

    def vector(self, *, until: float | None = None) -> Vectors | None:
        """The vector, waited for until then on `time.perf_counter`; None where there is no model
        or it takes longer."""
        if self._coming is None:
            return None
        try:
            return self._coming.result(_left(until))
        except TimeoutError:
            return None

    @property
    def is_begun(self) -> bool:
        """Whether a model was asked at all."""
        return self._coming is not None

    @property
    def is_late(self) -> bool:
        """Whether the model is at it still."""
        return self._coming is not None and not self._coming.done()


NO_THOUGHT = Thinking(None)


class Thinkers:
    """The threads on which models are asked."""

    def __init__(self, *, measured: Noting) -> None:
        self._measured = measured
        self._pool = ThreadPoolExecutor(THINKERS, thread_name_prefix="thinking")

    def begun(self, text: str, slot: EmbedderSlot) -> Thinking:
        """The vector of a text, begun with; nobody waits for a model that is not loaded."""
        if slot.taken is None:
            return NO_THOUGHT
        return Thinking(self._pool.submit(self._thought, text, slot))

    def asked(self, ask: Callable[[], T]) -> Future[T]:
        """The answer to any other question to a model, begun with."""
        return self._pool.submit(ask)

    def close(self) -> None:
        """End when what is at work is done."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _thought(self, text: str, slot: EmbedderSlot) -> Vectors | None:
        began = time.perf_counter()
        made = slot.query_vector(text)
        self._measured(Measure.EMBEDDING, (time.perf_counter() - began) * 1000)
        return made


def _left(until: float | None) -> float | None:
    return None if until is None else max(until - time.perf_counter(), 0.0)
