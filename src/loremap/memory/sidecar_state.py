"""How the optional small model is set, what it used today and for a session, and what went wrong
last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from loremap.config.settings import Settings
from loremap.errors import LoremapError
from loremap.memory.engine import Engine
from loremap.memory.sidecar import PER_DOLLAR, choice_of, switches
from loremap.model.memory import Actor
from loremap.sidecar.choose import open_model
from loremap.storage import sidecar

WINDOW = timedelta(days=30)
FAULT_TOLD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarState:
    """The sidecar as `lore sidecar` tells it; money in dollars."""

    kind: str
    where: str = ""
    model: str = ""
    trouble: str = ""
    """Why it is not asked though it is chosen."""
    leaves_machine: bool = False
    tasks: tuple[str, ...] = ()
    """What it is asked for."""
    calls: int = 0
    max_calls: int = 0
    tokens: int = 0
    max_tokens: int = 0
    dollars: float | None = None
    """None where no price is set, and its program told none; so for a session."""
    max_dollars: float = 0.0
    full_at: datetime | None = None
    """When a ceiling was met today."""
    calls_lately: int = 0
    failed_lately: int = 0
    sessions_lately: int = 0
    tokens_per_session: float = 0.0
    dollars_per_session: float | None = None
    """Over the last thirty days, of sessions that it was shown."""
    fault: str = ""
    fault_at: datetime | None = None
    fault_task: str = ""


def sidecar_state(engine: Engine) -> SidecarState:
    """The sidecar as it is now."""
    settings, asked = engine.settings, engine.sidecar
    if not engine.sidecar_is_chosen:
        return SidecarState(kind=settings.text("sidecar.kind"))
    owner, now, ceiling = Actor().owner_id, engine.now(), asked.ceiling
    with engine.store.read() as conn:
        today = sidecar.day(conn, owner, now)
        lately = sidecar.since(conn, owner, now - WINDOW)
        fault = sidecar.last_fault(conn, owner)
    where, model, leaves = _named(engine)
    sessions = max(lately.sessions, 1)
    of_sessions = dollars(settings, lately.micro_dollars_of_sessions)
    return SidecarState(
        kind=settings.text("sidecar.kind"),
        where=where,
        model=model,
        trouble=asked.refusal,
        leaves_machine=leaves,
        tasks=tuple(task.value for task, on in switches(settings).items() if on),
        calls=today.calls,
        max_calls=ceiling.calls,
        tokens=today.tokens,
        max_tokens=ceiling.tokens,
        dollars=dollars(settings, today.micro_dollars),
        max_dollars=ceiling.micro_dollars / PER_DOLLAR,
        full_at=today.full_at,
        calls_lately=lately.calls,
        failed_lately=lately.failed,
        sessions_lately=lately.sessions,
        tokens_per_session=lately.tokens_of_sessions / sessions,
        dollars_per_session=None if of_sessions is None else of_sessions / sessions,
        fault="" if fault is None else fault.fault,
        fault_at=None if fault is None else fault.at,
        fault_task="" if fault is None else fault.task,
    )


def dollars(settings: Settings, micro_dollars: int) -> float | None:
    """What was paid; None where nobody knows, because no price is set."""
    is_priced = settings.number("sidecar.price_in") or settings.number("sidecar.price_out")
    return micro_dollars / PER_DOLLAR if micro_dollars or is_priced else None


def _named(engine: Engine) -> tuple[str, str, bool]:
    """Where it is and what it is called, also where it may not be asked yet."""
    try:
        model = open_model(choice_of(engine.settings))
    except LoremapError:
        model = None
    return ("", "", False) if model is None else (model.where, model.name, model.leaves_machine)


def fresh_fault(state: SidecarState, now: datetime) -> str:
    """What went wrong within the last day; empty where nothing did."""
    at = state.fault_at
    return state.fault if at is not None and now - at < FAULT_TOLD else ""
