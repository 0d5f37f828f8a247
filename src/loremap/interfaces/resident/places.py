"""Where the resident of one data folder is reached: its run folder, key, state and sockets, and the
lock that lets one resident live at a time."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from loremap.errors import UnsafeFolder
from loremap.interfaces.hooks.client import KEY_BYTES, UNIX_PATH_BYTES, Unproven, check_private

UP = b"up"


@dataclass(frozen=True, slots=True)
class ResidentState:
    """What a resident says of itself."""

    pid: int
    version: str
    stamp: int
    """When its installation was made; of two with one version the later is the newer."""
    started: str
    ready: bool = False
    """Whether memories can be asked for."""
    model: str = ""
    """What makes the vectors now, or why nothing does."""
    speaks_mcp: bool = False
    clients: int = 0
    folders: tuple[str, ...] = ()
    trouble: str = ""
    leaving: bool = False
    health: str = ""
    """How quick retrieval is (`ops.slo.Health`), by the last `retrievals` prompts."""
    p95_ms: float | None = None
    retrievals: int = 0

    def is_of(self, version: str, stamp: int) -> bool:
        """Whether it runs that very installation."""
        return (self.version, self.stamp) == (version, stamp)

    def older_than(self, version: str, stamp: int) -> bool:
        """Whether an installation of that version and stamp should take its place."""
        return (ordered(self.version), self.stamp) < (ordered(version), stamp)


def ordered(version: str) -> tuple[int, ...]:
    """A version as numbers that compare as releases follow each other."""
    parts = version.split("+")[0].replace("-", ".").split(".")
    return tuple(int("".join(c for c in part if c.isdecimal()) or 0) for part in parts)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files by which one resident is found and kept alone."""

    home: Path
    path: Path

    @property
    def socket(self) -> Path:
        """Where hooks and relays connect."""
        return self.path / "hook.sock"

    @property
    def http(self) -> Path:
        """Where HTTP is spoken."""
        return self.path / "http.sock"

    @property
    def lock(self) -> Path:
        """Held by the one resident; its content is the resident's process id."""
        return self.path / "lock"

    @property
    def starting(self) -> Path:
        """Made anew and empty by whoever starts a resident, filled by the one that has begun."""
        return self.path / "starting"

    @property
    def state(self) -> Path:
        """What the resident said of itself when it began."""
        return self.path / "state.json"

    @property
    def log(self) -> Path:
        """What the resident did."""
        return self.home / "logs" / "resident.log"

    @property
    def spool(self) -> Path:
        """References to events that no resident took."""
        return self.home / "spool"


def run_folder(home: Path) -> RunFolder:
    """The run folder of a data folder: inside it, or in the system's own where the path of a
    socket there would be too long."""
    inside = home / "run"
    if sys.platform == "win32" or len(os.fsencode(inside / "hook.sock")) <= UNIX_PATH_BYTES:
        return RunFolder(home, inside)
    name = hashlib.blake2b(os.fsencode(home), digest_size=8).hexdigest()
    return RunFolder(home, Path("/tmp") / f"loremap-{os.getuid()}" / name)


def ensure_private_run(run: RunFolder) -> bytes:
    """Make the run folder and its key where they are not there; the key is returned."""
    for folder in (run.home, run.path.parent, run.path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        check_private(str(run.path))
    except Unproven as fault:
        raise UnsafeFolder(
            f"The folder {run.path} is a link, open to others or not yours; nothing runs there.",
            hint=f"Remove it, or make it yours alone: chmod 700 {run.path}",
        ) from fault
    return _key(run.path / "key")


def _key(file: Path) -> bytes:
    """The key; of two processes that make one at once, one's is taken by both."""
    if not file.exists() or file.stat().st_size != KEY_BYTES:
        fresh = _private(file, secrets.token_bytes(KEY_BYTES))
        if file.exists():
            file.unlink(missing_ok=True)
        with suppress(FileExistsError):
            fresh.rename(file) if sys.platform == "win32" else os.link(fresh, file)
        fresh.unlink(missing_ok=True)
    file.chmod(0o600)
    return file.read_bytes()


def write_private(file: Path, data: bytes) -> None:
    """Put a file in place at once, readable by its owner only."""
    _private(file, data).replace(file)


def _private(file: Path, data: bytes) -> Path:
    """A file beside `file` that only its owner may read."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    with os.fdopen(descriptor, "wb") as out:
        out.write(data)
    return Path(temporary)


def write_state(run: RunFolder, state: ResidentState) -> None:
    """Write down who the resident is."""
    write_private(run.state, json.dumps(asdict(state)).encode())


PID_BYTES = 20
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Held:
    """The lock of a run folder, held by this process until it ends."""

    descriptor: int
    run: RunFolder

    def still_there(self) -> bool:
        """Whether the lock lies where others look for it; somebody may have removed the folder."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), self.run.lock.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Let another resident begin."""
        os.close(self.descriptor)


def held(run: RunFolder, *, wait_s: float = 0.0) -> Held | None:
    """The lock, or None where another process still has it after `wait_s`."""
    until = time.monotonic() + wait_s
    while True:
        descriptor = os.open(run.lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        if _taken(descriptor):
            found = Held(descriptor, run)
            if found.still_there():
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, f"{os.getpid():<{PID_BYTES}}".encode())
                return found
        os.close(descriptor)
        if time.monotonic() >= until:
            return None
        time.sleep(_POLL_S)


def holder(run: RunFolder) -> int | None:
    """The process that holds the lock; None where nobody does."""
    try:
        descriptor = os.open(run.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if _taken(descriptor):
            return None
        os.lseek(descriptor, 0, os.SEEK_SET)
        return int(os.read(descriptor, PID_BYTES) or b"0") or None
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


BACKLOG = 512


def bound_at(path: Path) -> socket.socket:
    """A listening socket that appears at `path` at once, whatever a crash left there."""
    fresh = path.with_name(f"{path.stem}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(fresh))
    fresh.chmod(0o600)
    bound.listen(BACKLOG)
    bound.setblocking(False)
    fresh.replace(path)
    return bound
