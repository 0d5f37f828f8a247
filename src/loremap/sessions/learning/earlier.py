"""What was settled in a project before a session, found by the words it is about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from loremap.sessions.learning.framed import unframed
from loremap.sessions.learning.sentences import telling

_FEW, _FEW_SHARE = 3, 0.02
_MAX_LIKE = 24


@dataclass(frozen=True, slots=True)
class Earlier:
    """One thing that was settled, and the files that were changed for it."""

    content: str
    files: tuple[str, ...] = ()
    words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", telling(unframed(self.content)))


class Settled:
    """All that was settled; asked by words, never gone through."""

    def __init__(self, known: Iterable[Earlier] = ()) -> None:
        self._known: list[Earlier] = []
        self._having = defaultdict[str, list[int]](list)
        for one in known:
            self.add(one)

    def add(self, one: Earlier) -> None:
        """One more thing is settled."""
        for word in one.words:
            self._having[word].append(len(self._known))
        self._known.append(one)

    def likest(self, words: Iterable[str]) -> Sequence[Earlier]:
        """What shares the words that tell most, those that little of what was settled holds."""
        shared = defaultdict[int, float](float)
        for word in words:
            having = self._having.get(word, ())
            for at in having:
                shared[at] += 1 / len(having)
        return [self._known[at] for at in nlargest(_MAX_LIKE, shared, key=shared.__getitem__)]

    def nearest(self, words: Iterable[str]) -> frozenset[str]:
        """The telling words that are shared with what shares most of them. A word that much of what
        was settled holds tells nothing."""
        own = frozenset(word for word in words if self._is_rare(word))
        shared = Counter(at for word in own for at in self._having[word])
        if not shared:
            return frozenset()
        return own & self._known[max(shared, key=shared.__getitem__)].words

    def _is_rare(self, word: str) -> bool:
        return 0 < len(self._having.get(word, ())) <= _FEW + len(self._known) * _FEW_SHARE
