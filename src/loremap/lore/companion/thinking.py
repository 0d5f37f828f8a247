"""Works out the vector of a question beside what is looked up for it meanwhile."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from loremap.embedding.protocol import Vectors
from loremap.embedding.seat import Seat
from loremap.lore.figures.meter import Noting
from loremap.ops.metrics import Measure

THINKERS = 2
SLOW_MODEL_MS = 50.0
"""A model that takes longer for the question is not asked for anything beside it."""


@dataclass(frozen=True, slots=True)
class _Thought:
    vector: Vectors | None = None
    took_ms: float = 0.0


class Thinking:
    """The vector of one question; the model may be at it still."""

    def __init__(self, coming: Future[_Thought] | None) -> None:
        self._coming = coming

    def vector(self) -> Vectors | None:
        """The vector, waited for; None where there is no model."""
        return self._thought().vector

    def was_quick(self) -> bool:
        """Whether the model is quick enough to be asked for more."""
        return self._thought().took_ms < SLOW_MODEL_MS

    def _thought(self) -> _Thought:
        return _Thought() if self._coming is None else self._coming.result()


NO_THOUGHT = Thinking(None)


class Thinkers:
    """The threads on which vectors are worked out."""

    def __init__(self, *, measured: Noting) -> None:
        self._measured = measured
        self._pool = ThreadPoolExecutor(THINKERS, thread_name_prefix="embedding")

    def begun(self, text: str, seat: Seat) -> Thinking:
        """The vector of a text, begun with; nobody waits for a model that is not loaded. A model
        on another machine is waited for here, for nothing may be held up by it later."""
        embedder = seat.taken
        if embedder is None:
            return NO_THOUGHT
        thinking = Thinking(self._pool.submit(self._thought, text, seat))
        if embedder.leaves_machine:
            thinking.vector()
        return thinking

    def close(self) -> None:
        """End when what is at work is done."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _thought(self, text: str, seat: Seat) -> _Thought:
        began = time.perf_counter()
        made = seat.query_vector(text)
        took_ms = (time.perf_counter() - began) * 1000
        self._measured(Measure.EMBEDDING, took_ms)
        return _Thought(made, took_ms)
