"""What every embedder offers, so that no caller needs to know which one it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
Progress = Callable[[str, int, int], None]
"""Told the stage, the bytes done and the bytes in all (0 when not known)."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one space."""

    @property
    def model(self) -> str:
        """The stable name of the vector space; vectors of different names are never compared."""

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""

    @property
    def leaves_machine(self) -> bool:
        """Whether the texts are sent to another machine."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text, shape (len(texts), dim); `query` marks a question."""


def silent(stage: str, done: int, total: int) -> None:
    """A progress that nobody watches."""


def well_formed(text: str) -> str:
    """`text` with every lone surrogate replaced, which neither a model nor UTF-8 can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
