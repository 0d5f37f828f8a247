"""What was settled in a project before a session, found by the words it is about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from loremap.sessions.learning.framed import unframed
from loremap.sessions.learning.sentences import telling

_FEW, _FEW_SHARE = 3, 0.02


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

    def sharing(self, words: Iterable[str], *, at_least: int = 1) -> Sequence[Earlier]:
        """What shares so many words."""
        shared = self._shared(words)
        return [self._known[at] for at, count in shared.items() if count >= at_least]

    def nearest(self, words: Iterable[str]) -> frozenset[str]:
        """The telling words that are shared with what shares most of them. A word that much of what
        was settled holds tells nothing."""
        own = frozenset(word for word in words if self._is_rare(word))
        shared = self._shared(own)
        if not shared:
            return frozenset()
        return own & self._known[max(shared, key=shared.__getitem__)].words

    def _is_rare(self, word: str) -> bool:
        return 0 < len(self._having.get(word, ())) <= _FEW + len(self._known) * _FEW_SHARE

    def _shared(self, words: Iterable[str]) -> Counter[int]:
        return Counter(at for word in words for at in self._having.get(word, ()))
