"""The life of a resident: takes the lock, listens, loads what it needs, leaves when it is idle."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from loremap.errors import LoremapError
from loremap.interfaces.hooks import client
from loremap.interfaces.resident.alarm import STUCK_S, Alarm
from loremap.interfaces.resident.places import (
    UP,
    Held,
    ResidentState,
    RunFolder,
    ensure_private_run,
    held,
    run_folder,
    write_state,
)
from loremap.interfaces.resident.reach import asked
from loremap.interfaces.resident.server import Core, Server

HANDOVER_S = 15.0
"""How long a newer resident waits for an older one to leave."""
ANSWER_S = 3.0
LOOK_S = 2.0
IDLE_S = 30 * 60.0
SWITCH_S = 0.001
"""How long a thread may keep others waiting: a hook passes from one to another several times."""
LOG_BYTES, LOG_FILES = 1 << 20, 2

log = logging.getLogger("loremap.resident")


class LivingCore(Core):
    """A core that the resident starts and ends."""

    leave: Callable[[], None]
    """Ask the resident to end: what it holds is no longer what it should hold."""

    def start(self) -> None:
        """Begin to load, in the background."""

    async def open_doors(self, noted: Callable[[], None]) -> None:
        """Speak HTTP, once that is possible; `noted` is called when a client speaks."""

    async def close_doors(self) -> None:
        """Speak HTTP no more."""

    @property
    def is_busy(self) -> bool:
        """Whether it does something that nobody waits for but that should be finished."""
        return False

    def idle_s(self) -> float:
        """After how long without a client the resident ends."""
        return IDLE_S

    def close(self) -> None:
        """Let go of everything."""


def live(home: Path, core_of: Callable[[RunFolder], LivingCore]) -> int:
    """Be the one resident of `home`; 0 when it has ended, or another one is there."""
    os.umask(0o077)  # whatever it writes is for the user alone
    run = run_folder(home)
    if not run.path.is_dir():  # who starts a resident makes it; since then it was all removed
        return 0
    keep_log(run)
    try:
        ensure_private_run(run)
        lock = alone(run)
        if lock is None:
            return 0
        key = ensure_private_run(run)
        sys.setswitchinterval(SWITCH_S)
        asyncio.run(_lived(run, key, lock, core_of(run)))
    except (LoremapError, OSError) as fault:
        log.error("ended by %s at %s", type(fault).__name__, where(fault))
        return 1
    return 0


def alone(run: RunFolder) -> Held | None:
    """The lock; None where a resident is there that is as new as this one, or does not answer."""
    lock = held(run)
    until = time.monotonic() + ANSWER_S
    while lock is None and time.monotonic() < until:
        state = asked(run, "leave", seconds=0.5)
        if state is not None and not state.leaving:
            return None
        # It leaves, it has only just begun, or it hangs.
        lock = held(run, wait_s=0.2 if state is None else HANDOVER_S)
    if lock is None:
        log.warning("another resident has the lock and does not answer")
    return lock


def this_state() -> ResidentState:
    """What this process says of itself before it has loaded anything."""
    version, stamp = client.installed()
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return ResidentState(os.getpid(), version, int(stamp), started)


async def _lived(run: RunFolder, key: bytes, lock: Held, core: LivingCore) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_note)
    state = this_state()
    server = Server(run, key, core, state)
    await server.listen()
    write_state(run, state)
    (run.path / "failures").unlink(missing_ok=True)
    run.starting.write_bytes(UP)
    log.info("listening, process %d, version %s", state.pid, state.version)
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform != "win32":
            loop.add_signal_handler(number, server.leave)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    core.leave = lambda: _soon(loop, server)
    core.start()
    alarm = Alarm()
    alarm.start()
    beside = [
        loop.create_task(_end_when_idle(server, core, lock, key, alarm)),
        loop.create_task(core.open_doors(server.note)),
    ]
    await server.left()
    alarm.ending()
    for task in beside:
        task.cancel()
    await core.close_doors()
    await server.close()
    await asyncio.to_thread(core.close)
    run.state.unlink(missing_ok=True)
    log.info("ended, process %d", state.pid)


def _soon(loop: asyncio.AbstractEventLoop, server: Server) -> None:
    """Leave, asked by another thread."""
    loop.call_soon_threadsafe(server.leave)


async def _end_when_idle(
    server: Server, core: LivingCore, lock: Held, key: bytes, alarm: Alarm
) -> None:
    """Leave when no client has spoken for long, or the folder was removed under us."""
    while True:
        if server.waits_s() < STUCK_S:
            alarm.beat()
        idle_s = core.idle_s()
        await asyncio.sleep(min(LOOK_S, idle_s / 4))
        if not lock.still_there() or not _is_key(lock.run, key):
            log.warning("the run folder is gone")
            server.leave()
        elif server.quiet_s() >= idle_s and not core.is_busy:
            log.info("nobody has spoken for %d s", idle_s)
            server.leave()


def _is_key(run: RunFolder, key: bytes) -> bool:
    """Whether clients still find the key that this resident knows."""
    try:
        return (run.path / "key").read_bytes() == key
    except OSError:
        return False


def keep_log(run: RunFolder) -> None:
    """Write what happens into the log, which holds nothing of any event."""
    run.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = RotatingFileHandler(run.log, maxBytes=LOG_BYTES, backupCount=LOG_FILES, delay=True)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.handlers[:] = [file]
    threading.excepthook = _note_of_thread
    log.setLevel(logging.INFO)
    log.propagate = False


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    fault = context.get("exception")
    log.error("the edge caught %s at %s", type(fault).__name__, where(fault))


def _note_of_thread(told: threading.ExceptHookArgs) -> None:
    log.error("a thread ended by %s at %s", told.exc_type.__name__, where(told.exc_value))


def where(fault: BaseException | None) -> str:
    """Where an error was raised; never its text, which may hold what a session said."""
    frames = traceback.extract_tb(fault.__traceback__)[-3:] if fault is not None else []
    return " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
