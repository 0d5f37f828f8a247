"""Remembers what each question gave, and which files were looked at to answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loremap.code.resolution.values import Flows, Values

DEPTH_MAX = 40
STEPS_MAX = 500_000
"""How many questions one file may raise; tens of thousands is much."""

Key = tuple[str, int, str, int]
"""The path a question is about, a scope, what is asked, and a line."""
Known = tuple[Values, tuple[str, ...], bool]
"""What a chain means, the files and packages that were looked at to know it, and whether that may
depend on what calls pass to a parameter."""
_RUNNING: Known = ((), (), True)
_NO_FLOWS: Flows = {}
"""What is known to all must not depend on the calls of one file."""


class TooManySteps(Exception):
    """One file raises more questions than can be answered; it stays without links."""


class Memo:
    """The answers so far.

    With a `home` it also knows what the calls of that file pass to its functions. What lies in
    other files is asked without them, so that a file's links depend on the interfaces of others
    only.
    """

    def __init__(self) -> None:
        self.known: dict[Key, Known] = {}
        self._known_at_home: dict[Key, Known] = {}
        self._looks: dict[frozenset[str], tuple[str, ...]] = {}
        """The same files are looked at for many answers, which then share their names."""
        self.depth = 0
        self.steps = 0
        """How many questions were answered anew for the file at hand."""
        self.home = ""
        self.flows: Flows = {}
        self.asked = 0
        """How often the answer could depend on what calls pass to a parameter."""
        self.looked: list[str] = []
        """The files and packages looked at so far, also where the answer was known already."""

    def forget(self) -> None:
        """Drops all answers."""
        self.known.clear()
        self._looks.clear()
        self._known_at_home.clear()

    def start(self, path: str) -> None:
        """Starts to evaluate for one file, with nothing looked at."""
        self.looked.clear()
        self.depth = 0
        self.steps = 0
        self.at_home(path, _NO_FLOWS)

    def at_home(self, path: str, flows: Flows) -> None:
        """Starts to evaluate for one file, with what its own calls pass on."""
        self.home = path
        self.flows = flows
        self._known_at_home = {}

    def consulted(self) -> frozenset[str]:
        """The other files, and packages, looked at since the start."""
        return frozenset(self.looked) - {self.home}

    def once(self, key: Key, find: Callable[..., Values], *given: object) -> Values:
        """What `find` gives, found once per key; the key starts with the path it is about."""
        at_home = bool(self.flows) and key[0] == self.home
        known = self.known.get(key)
        if known is None or (at_home and known[2]):
            known = self._known_at_home.get(key) if at_home else None
        if known is not None:
            if known[1]:
                self.looked += known[1]
            self.asked += known[2]
            return known[0]
        if self.depth > DEPTH_MAX:
            self.asked += 1
            return ()
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise TooManySteps
        memo = self._known_at_home if at_home else self.known
        memo[key] = _RUNNING  # what leads back to itself adds nothing
        mark, asked, flows = len(self.looked), self.asked, self.flows
        if not at_home:
            self.flows = _NO_FLOWS
        self.depth += 1
        try:
            found = find(*given)
        except BaseException:
            del memo[key]
            raise
        finally:
            self.depth -= 1
            self.flows = flows
        known = (found, self.looked_since(mark, key[0]), self.asked != asked)
        if at_home and not known[2]:
            del memo[key]
            memo = self.known
        memo[key] = known
        return found

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level down, where no answer is kept by key."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def looked_since(self, mark: int, path: str) -> tuple[str, ...]:
        """The other files and packages that were looked at, each once."""
        looked = self.looked
        if len(looked) == mark:
            return ()
        others = frozenset(looked[mark:])
        if path in others:
            others -= {path}
        looked[mark:] = others
        known = self._looks.get(others)
        if known is None:
            known = self._looks[others] = tuple(others)
        return known
