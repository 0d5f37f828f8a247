"""Runs a command with every address it sends to watched, its children and theirs included.

The kernel asks this process before each connect and send (seccomp's user notification): libraries
that are no Python are seen like everything else, and what outlives its parent too. What would leave
the machine is refused.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import ipaddress
import os
import platform
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CALLS = {
    "x86_64": {"connect": 42, "sendto": 44, "sendmsg": 46, "sendmmsg": 307, "seccomp": 317},
    "aarch64": {"connect": 203, "sendto": 206, "sendmsg": 211, "sendmmsg": 269, "seccomp": 277},
}
CAN_WATCH = platform.system() == "Linux" and platform.machine() in CALLS
_PIDFD_GETFD = 438
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NO_NEW_PRIVILEGES, _NEW_LISTENER, _CONTINUE = 38, 8, 1
_NOTIFY, _ALLOW = 0x7FC00000, 0x7FFF0000
_DNS_PORT = 53


@dataclass(frozen=True)
class Sent:
    """One address that a process connected or sent to."""

    call: str
    family: int
    address: str
    port: int = 0
    program: str = ""

    @property
    def is_local(self) -> bool:
        """Whether it stays on this machine; who asks a name server does not."""
        if self.family in (socket.AF_INET, socket.AF_INET6):
            return ipaddress.ip_address(self.address).is_loopback and self.port != _DNS_PORT
        resolver = "resolve" in self.address or "mdns" in self.address.lower()
        return self.family in (socket.AF_UNIX, socket.AF_NETLINK) and not resolver


def watched(
    line: Sequence[str], *, env: Mapping[str, str], cwd: Path, seconds: float
) -> tuple[subprocess.CompletedProcess[str], list[Sent]]:
    """How a command ended, and all that it and what it started sent to."""
    told, tell = os.pipe()
    heard, go_on = os.pipe()
    process = subprocess.Popen(
        [sys.executable, __file__, str(tell), str(heard), *line],
        env=env,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(tell, heard),
    )
    listener = _taken(process.pid, int(os.read(told, 16)))
    os.write(go_on, b"!")
    for pipe in (told, tell, heard, go_on):
        os.close(pipe)
    found: list[Sent] = []
    ear = threading.Thread(target=_listen, args=(listener, found), daemon=True)
    ear.start()
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
        ear.join(15)  # until the last of them has ended
        os.close(listener)
    assert not ear.is_alive(), "a process of the command is left"
    return subprocess.CompletedProcess(list(line), process.returncode, out, err), found


def _taken(pid: int, number: int) -> int:
    """A descriptor of another process, as one of ours."""
    libc = ctypes.CDLL(None, use_errno=True)
    process = os.pidfd_open(pid)
    taken: int = libc.syscall(_PIDFD_GETFD, process, number, 0)
    os.close(process)
    if taken < 0:
        raise OSError(ctypes.get_errno(), "the watched process keeps its listener to itself")
    return taken


def _listener() -> int:
    """Have this process and all it starts ask before they send; who is asked reads from here."""
    libc = ctypes.CDLL(None, use_errno=True)
    calls = CALLS[platform.machine()]
    asked = [calls[name] for name in ("connect", "sendto", "sendmsg", "sendmmsg")]
    steps = [_step(0x20, 0)]  # the number of the call
    for place, number in enumerate(asked):
        steps.append(_step(0x15, number, yes=len(asked) - place))
    steps += [_step(0x06, _ALLOW), _step(0x06, _NOTIFY)]
    program = ctypes.create_string_buffer(b"".join(steps))
    given = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    listener: int = libc.syscall(calls["seccomp"], 1, _NEW_LISTENER, given)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    os.set_inheritable(listener, False)
    return listener


def _step(code: int, value: int, *, yes: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, 0, value)


def _listen(listener: int, found: list[Sent]) -> None:
    names = {number: name for name, number in CALLS[platform.machine()].items()}
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while True:
        ((_, event),) = poll.poll()
        if not event & select.POLLIN:
            return
        request = bytearray(80)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
        except FileNotFoundError:
            continue  # it was killed while it asked
        id_, pid, _, number, _, _, *arguments = struct.unpack("=QIIiIQ6Q", request)
        sent = _sent(names[number], pid, arguments)
        found += sent
        leaves = not all(one.is_local for one in sent)
        answer = (0, -errno.EPERM, 0) if leaves else (0, 0, _CONTINUE)
        try:
            fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", id_, *answer))
        except FileNotFoundError:
            continue


def _sent(call: str, pid: int, arguments: Sequence[int]) -> list[Sent]:
    """Where to, as the process wrote it; what goes to a connected socket names nobody."""
    try:
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    except OSError:
        return []
    try:
        program = Path(f"/proc/{pid}/comm").read_text().strip()
        if call == "connect":
            places = [(arguments[1], arguments[2])]
        elif call == "sendto":
            places = [(arguments[4], arguments[5])]
        else:
            count = arguments[2] if call == "sendmmsg" else 1
            heads = (os.pread(memory, 12, arguments[1] + 64 * place) for place in range(count))
            places = [struct.unpack("=QI", head) for head in heads]
        raw = [os.pread(memory, min(size, 128), at) for at, size in places if at and size]
    finally:
        os.close(memory)
    return [_address(call, one, program) for one in raw]


def _address(call: str, raw: bytes, program: str) -> Sent:
    (family,) = struct.unpack_from("=H", raw)
    if family == socket.AF_INET:
        (port,) = struct.unpack_from("!H", raw, 2)
        return Sent(call, family, socket.inet_ntop(family, raw[4:8]), port, program)
    if family == socket.AF_INET6:
        (port,) = struct.unpack_from("!H", raw, 2)
        return Sent(call, family, socket.inet_ntop(family, raw[8:24]), port, program)
    return Sent(call, family, os.fsdecode(raw[2:].strip(b"\0")), program=program)


def _become(tell: int, heard: int, line: Sequence[str]) -> None:
    """Have this process watched, and become the command."""
    os.write(tell, b"%d" % _listener())
    os.read(heard, 1)
    os.execvp(line[0], line)


if __name__ == "__main__":
    _become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
