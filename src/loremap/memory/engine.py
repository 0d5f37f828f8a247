"""What all folders of one user share: the store, the model, the warm arrays, the triggers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from loremap.code.checkout import embedder_choice
from loremap.config import settings as config
from loremap.config.folders import Folders
from loremap.embedding.choose import EmbedderChoice, open_embedder
from loremap.embedding.protocol import Embedder
from loremap.embedding.slot import EmbedderSlot
from loremap.errors import BadInput, BrokenSettings, LoremapError, Moved
from loremap.memory.housekeeping import back_up_changed, keep_house
from loremap.memory.recall.check import Watch
from loremap.model.memory import Actor
from loremap.safety.own_rules import OwnRules, checked_rules
from loremap.safety.redaction import use_own_rules
from loremap.storage import changes, memories, vectors
from loremap.storage.caught import caught
from loremap.storage.checkup import Checkup
from loremap.storage.store import Connection, Store
from loremap.storage.warm import Warm

if TYPE_CHECKING:
    from loremap.memory.sidecar import Sidecar
    from loremap.memory.standby.follow import Standby

MAX_COUNTED = 64
MAX_LOOKS = 3
"""So often the arrays are looked at again because somebody has written meanwhile."""
HOUSE_LOOKED_AFTER = timedelta(hours=1)
"""How often a write asks whether the day's housekeeping is due."""
T = TypeVar("T")


class Engine:
    """One user's store and what is kept warm of it; many folders may look into it at once."""

    def __init__(
        self,
        places: Folders,
        settings: config.Settings,
        *,
        store: Store,
        now: Callable[[], datetime],
    ) -> None:
        self.places = places
        self.settings = settings
        self.now = now
        self.store = store
        self.slot = EmbedderSlot(lambda: self._opened(embedder_choice(self.settings)))
        self.due_at = datetime.min.replace(tzinfo=UTC)
        """When a write next asks whether the day's housekeeping is due."""
        self._lock = Lock()
        """Held for a moment by whoever looks up or replaces what is shared."""
        self._warm: Warm | None = None
        self._watch: tuple[tuple[int, str], Warm, Watch] | None = None
        self._watching = Lock()
        self._standby: Standby | None = None
        self._sidecar: Sidecar | None = None
        self._counted: dict[Hashable, tuple[object, Any]] = {}
        self.checkup = Checkup(self.store, lambda: self.now())
        self.store.written = lambda stamp: self.standby.follow(stamp)
        self.store.erasing = lambda: self.standby.clear()

    @property
    def settings(self) -> config.Settings:
        """The settings in force."""
        return self._settings

    @settings.setter
    def settings(self, settings: config.Settings) -> None:
        use_own_rules(own_rules(settings))
        self._settings = settings

    @property
    def records(self) -> bool:
        """Whether what happens in sessions is written down: not where nothing of it is kept."""
        return self.settings.whole("events.keep_days") > 0

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    @property
    def standby(self) -> Standby:
        """What hooks answer with when no resident does; loaded by the first write."""
        from loremap.memory.standby.follow import Standby

        with self._lock:
            if self._standby is None:
                self._standby = Standby(self.places, self.store, lambda: self.settings, self.now)
            return self._standby

    @property
    def sidecar_is_chosen(self) -> bool:
        """Whether a small model is chosen; known without loading anything."""
        return self.settings.text("sidecar.kind") != "off"

    @property
    def sidecar(self) -> Sidecar:
        """The optional small model; loaded by whoever first asks for it."""
        from loremap.memory.sidecar import Sidecar

        with self._lock:
            if self._sidecar is None:
                self._sidecar = Sidecar(
                    self.store,
                    home=self.places.home,
                    settings=lambda: self.settings,
                    now=lambda: self.now(),
                )
            return self._sidecar

    def is_due(self, now: datetime) -> bool:
        """Whether it is time to ask for the day's housekeeping; then not again for a while."""
        with self._lock:
            if now < self.due_at:
                return False
            self.due_at = now + HOUSE_LOOKED_AFTER
            return True

    def keep(self, actor: Actor) -> tuple[str, ...]:
        """Do the day's housekeeping where it is due; what could not be done is said."""
        return keep_house(
            self.store,
            grace_days=self.settings.whole("forget.grace_days"),
            now=self.now(),
            actor=actor,
            home=self.places.home,
            graphs=self.places.graphs,
            keep_events_days=self.settings.whole("events.keep_days"),
        )

    def back_up(self) -> None:
        """Keep a copy of what was written since the last one; where that cannot be done, it is
        noted for the doctor."""
        try:
            back_up_changed(self.store)
        except Moved:
            return  # another file has its place, and is another's to keep
        except LoremapError as fault:
            caught(self.places.home, "back up", fault)

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Use this embedder in place of the one the settings name; None leaves words alone."""
        self.slot.use(embedder)
        with self._lock:
            self._warm = self._watch = None

    def warm_for(self, embedder: Embedder | None) -> Warm:
        """The arrays with the vectors of this embedder, or those in use where it is None."""
        model = None if embedder is None else embedder.model
        with self._lock:
            if self._warm is None or (self._warm.model != model and model is not None):
                self._warm = Warm(model)
            return self._warm

    @contextmanager
    def arrays(self, embedder: Embedder | None = None) -> Iterator[tuple[Connection, Warm]]:
        """The arrays as the store is now, and a connection that sees it so. Any number of threads
        ask them at once; only who takes in what was written waits until nobody does."""
        warm = self.warm_for(embedder)
        for _ in range(MAX_LOOKS):
            with warm.use.shared(), self.store.read() as conn:
                if warm.seq == self.store.change_seq(conn):
                    yield conn, warm
                    return
            with warm.use.alone(), self.store.read() as conn:
                warm.refresh(conn, seq=self.store.change_seq(conn))
        with warm.use.alone(), self.store.read() as conn:  # somebody writes all the time
            warm.refresh(conn, seq=self.store.change_seq(conn))
            yield conn, warm

    def watch(self, conn: Connection, warm: Warm) -> Watch:
        """The triggers as they are now, for who holds the arrays. That a memory was used changes
        none of them."""
        stamp = (changes.newest(conn), self.store.told_stamp(conn))
        with self._watching:  # read by one thread for all that wait for it
            if self._watch is None or self._watch[:2] != (stamp, warm):
                self._watch = (stamp, warm, Watch(memories.with_triggers(conn), warm))
            return self._watch[2]

    def warm_up(self, slot: EmbedderSlot, embedder: Embedder) -> None:
        """Use a model that was loaded aside, with all that the first question would wait for."""
        self.slot = slot
        with self.arrays(embedder) as (conn, warm):
            warm.words(conn, at_once=True)
            self.watch(conn, warm)

    def counted(self, conn: Connection, name: Hashable, count: Callable[[], T]) -> T:
        """What `count` reads of the store, read once while no memory and no vector changes; that a
        memory was used changes nothing."""
        stamp = (changes.newest(conn), vectors.stamp(conn))
        before, found = self._counted.get(name, (None, None))
        if before != stamp:
            found = count()
            with self._lock:
                if len(self._counted) >= MAX_COUNTED:
                    self._counted.clear()
                self._counted[name] = (stamp, found)
        made: T = found
        return made

    def _opened(self, choice: EmbedderChoice) -> Embedder | None:
        """The chosen embedder. A server is held to the dimension of the vectors it made before:
        another model behind the same name must not be taken for the same space."""
        embedder = open_embedder(choice, cache_dir=self.places.cache)
        if embedder is None or choice.name != "openai":
            return embedder
        with self.store.read() as conn:
            dim = vectors.dim_of(conn, embedder.model) or choice.dim
        return open_embedder(replace(choice, dim=dim), cache_dir=self.places.cache)


def own_rules(settings: config.Settings) -> OwnRules:
    """What the user calls secret and what not; raises BrokenSettings where a pattern is bad."""
    try:
        return OwnRules(
            checked_rules("redact.patterns", settings.texts("redact.patterns")),
            checked_rules("redact.allow", settings.texts("redact.allow")),
        )
    except BadInput as fault:
        raise BrokenSettings(
            f"The settings file {settings.file} is not right: {fault.message}",
            hint=fault.hint or "Mend that pattern, or remove it.",
        ) from fault
