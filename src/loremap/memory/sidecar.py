"""The optional small model, as everybody here may ask it: redacted, under a ceiling, checked."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TypeVar

from loremap.clients.registry import client_named
from loremap.config.folders import key_folder
from loremap.config.settings import Settings
from loremap.errors import BadAnswer, BadInput, LoremapError, ModelError, ModelFailed, SidecarRests
from loremap.model.memory import Actor
from loremap.model.text import one_line
from loremap.safety.kept_secrets import kept_secret
from loremap.safety.redaction import redacted
from loremap.sidecar.answers import object_in
from loremap.sidecar.ask import Ask, Question, Said, SmallModel, Task, Unusable
from loremap.sidecar.choose import AGENT, OFF, SidecarChoice, open_model
from loremap.sidecar.program import GUARD
from loremap.sidecar.protocols import PROTOCOLS, address
from loremap.storage import projects, sessions, sidecar
from loremap.storage.caught import caught
from loremap.storage.sidecar import Amount, Call, Ceiling
from loremap.storage.store import Store

T = TypeVar("T")
PER_DOLLAR = 1_000_000
FAILURES, REST_S = 3, 60.0
"""After so many failures in a row it is left alone for so long."""
LONGEST_FAULT = 300


class CeilingMet(SidecarRests):
    """The day is used up: from now on rules go on alone, as if there were no sidecar."""


@dataclass(frozen=True, slots=True)
class About:
    """For whom something is asked: a session that gets nothing, or a project that is switched off,
    is not spoken of."""

    project_id: str | None = None
    session_id: str | None = None


class Sidecar:
    """Asks the small model that the settings name. Whatever goes wrong raises a `ModelError`; who
    asks goes on by rules."""

    def __init__(
        self,
        store: Store,
        *,
        home: Path,
        settings: Callable[[], Settings],
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._home = home
        self._settings = settings
        self._now = now
        self._owner = Actor().owner_id
        self._opened: tuple[SidecarChoice, SmallModel | None] | None = None
        self._lock = Lock()
        self._failures = 0
        self._rests_until = 0.0
        self._full: tuple[str, Ceiling] | None = None
        """The day on which a ceiling was met, and that ceiling."""

    # Whether

    @property
    def is_on(self) -> bool:
        """Whether a small model is chosen and may be asked here; not within its own work."""
        return (
            self._settings().text("sidecar.kind") != OFF
            and GUARD not in os.environ
            and not self._store.read_only
        )

    def does(self, task: Task) -> bool:
        """Whether it is asked for this now: on, not switched off, and the day is not used up."""
        if not (self.is_on and switches(self._settings())[task]):
            return False
        return self._full != (self._today(), self.ceiling) and not self.refusal

    @property
    def refusal(self) -> str:
        """Why it cannot be asked though it is chosen; empty where it can."""
        try:
            self.model()
        except (LoremapError, OSError) as fault:
            return str(fault)
        return ""

    def model(self) -> SmallModel:
        """The model; raises `BadInput` where the settings do not let it be asked."""
        settings = self._settings()
        choice = choice_of(settings)
        with self._lock:
            if self._opened is None or self._opened[0] != choice:
                self._opened = (choice, open_model(_with_key(choice)))
            model = self._opened[1]
        if model is None:
            raise BadInput("No sidecar is chosen.", hint="lore config set sidecar.kind ollama")
        if model.leaves_machine and not settings.flag("sidecar.may_leave"):
            raise BadInput(
                f"The sidecar {model.where} would be sent redacted words of your sessions and "
                "memories, which leave this machine.",
                hint="To allow that: lore config set sidecar.may_leave true",
            )
        return model

    @property
    def ceiling(self) -> Ceiling:
        """The most that a day may take."""
        settings = self._settings()
        return Ceiling(
            calls=settings.whole("sidecar.daily_calls"),
            tokens=settings.whole("sidecar.daily_tokens"),
            micro_dollars=round(settings.number("sidecar.daily_dollars") * PER_DOLLAR),
        )

    # Asking

    def ask(self, question: Question[T], about: About = About()) -> T:  # noqa: B008  frozen
        """What of an answer holds. What is sent is redacted; raises a `ModelError` where there is
        no answer, or none that can be used."""
        if time.monotonic() < self._rests_until:
            raise SidecarRests("The sidecar failed several times and is left alone for a while.")
        self._refuse_private(about)
        model, ask = self._usable(), _redacted(question.ask)
        reserved, at = self._reserved(ask), self._now()
        began = time.perf_counter()
        call = Call(
            at=at,
            task=ask.task.value,
            model=model.name,
            project_id=about.project_id,
            session_id=about.session_id,
        )
        try:
            said = model.ask(ask)
        except ModelError as fault:
            self._failed(fault, replace(call, took_ms=_ms_since(began)), reserved)
            raise
        call = replace(
            call,
            took_ms=_ms_since(began),
            tokens_in=said.tokens_in,
            tokens_out=said.tokens_out,
            micro_dollars=self._cost(said),
        )
        try:
            answer = question.checked(object_in(said.text))
        except Unusable as reason:
            bad = BadAnswer(f"The sidecar's answer to `{ask.task.value}` cannot be used: {reason}.")
            self._failed(bad, call, reserved)
            raise bad from reason
        self._failures = 0
        with self._store.append() as conn:
            sidecar.settle(conn, self._owner, at, reserved, call)
        return answer

    def _usable(self) -> SmallModel:
        try:
            return self.model()
        except BadInput as fault:
            raise SidecarRests(fault.message, hint=fault.hint) from fault

    def _refuse_private(self, about: About) -> None:
        with self._store.read() as conn:
            if about.project_id is not None and not projects.is_enabled(conn, about.project_id):
                raise SidecarRests("Memory is off for this project, so nothing of it is sent.")
            session = None if about.session_id is None else sessions.find(conn, about.session_id)
        if session is not None and session.held_out:
            raise SidecarRests("This session is held out, so nothing of it is sent.")

    def _reserved(self, ask: Ask) -> Amount:
        """What is taken out of the day for a request; raises where a ceiling is met."""
        wanted = Amount(ask.tokens, self._price(ask.tokens - ask.most_tokens, ask.most_tokens))
        ceiling, now = self.ceiling, self._now()
        with self._store.append() as conn:
            if sidecar.reserve(conn, self._owner, now, wanted, ceiling):
                return wanted
            is_first = sidecar.note_full(conn, self._owner, now)
        fault = CeilingMet(
            "The sidecar has reached its ceiling for today; rules go on without it.",
            hint="lore sidecar shows it, lore config set sidecar.daily_tokens raises it.",
        )
        self._full = (self._today(), ceiling)
        if is_first:
            caught(self._home, "sidecar, daily ceiling", fault)
        raise fault

    def _failed(self, fault: ModelError, call: Call, reserved: Amount) -> None:
        """Write down what went wrong, where `lore sidecar` and `lore doctor` find it. A request
        that failed costs what the server said, else nothing we know of."""
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._failures, self._rests_until = 0, time.monotonic() + REST_S
        short = fault.short if isinstance(fault, ModelFailed) else fault.message
        said = one_line(redacted(short).text)[:LONGEST_FAULT]
        with self._store.append() as conn:
            sidecar.settle(conn, self._owner, call.at, reserved, replace(call, fault=said))
        caught(self._home, f"sidecar, {call.task}", fault)

    def _cost(self, said: Said) -> int:
        if said.dollars is not None:
            return round(said.dollars * PER_DOLLAR)
        return self._price(said.tokens_in, said.tokens_out)

    def _price(self, tokens_in: int, tokens_out: int) -> int:
        """In micro-dollars: dollars per million tokens are those per token."""
        settings = self._settings()
        read, written = settings.number("sidecar.price_in"), settings.number("sidecar.price_out")
        return round(read * tokens_in + written * tokens_out)

    def _today(self) -> str:
        return self._now().date().isoformat()


def switches(settings: Settings) -> dict[Task, bool]:
    """What the small model may be asked for."""
    return {
        Task.VERIFY: settings.flag("sidecar.verify"),
        Task.EXTRACT: settings.flag("sidecar.extract"),
        Task.CLASSIFY: settings.flag("sidecar.classify"),
        Task.RELATE: settings.flag("sidecar.relate"),
        Task.NAME: settings.flag("sidecar.name"),
        Task.GAPS: settings.flag("sidecar.gaps"),
    }


def choice_of(settings: Settings) -> SidecarChoice:
    """The small model that the settings name; its key is not looked up yet."""
    kind = settings.text("sidecar.kind")
    program = client_named(settings.text("sidecar.agent")).alone if kind == AGENT else None
    return SidecarChoice(
        kind=kind,
        url=settings.text("sidecar.url"),
        model=settings.text("sidecar.model"),
        key_env=settings.text("sidecar.key_env"),
        timeout_s=settings.number("sidecar.timeout_s"),
        plain_http=settings.flag("sidecar.plain_http"),
        structured=settings.flag("sidecar.structured"),
        program=program,
    )


def key_name(choice: SidecarChoice) -> str:
    """Under which name the key of an endpoint is kept: with its address, so that another address is
    not shown it."""
    if choice.kind not in PROTOCOLS:
        raise BadInput(
            "The sidecar that is chosen takes no key.",
            hint="Choose one that does: lore config set sidecar.kind openai",
        )
    return f"sidecar {address(PROTOCOLS[choice.kind], choice.url)}"


def _with_key(choice: SidecarChoice) -> SidecarChoice:
    if choice.kind not in PROTOCOLS or choice.key_env:
        return choice
    return replace(choice, key=kept_secret(key_name(choice), key_folder()))


def _redacted(ask: Ask) -> Ask:
    return replace(ask, text=redacted(ask.text).text)


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1_000)
