"""What an agent starts at every event: hands the event to the resident and prints its answer.

Run as `python -I -S enter.py --home H --run R hook CLIENT [EVENT]`. Imports nothing but what is
compiled into Python, because an agent waits for it; what only a hook needs that found nobody lies
in files beside it. Whatever goes wrong, it ends with 0.
"""

from __future__ import annotations

import sys
import time

if sys.platform == "win32":
    import nt as system  # pragma: no cover
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping, Sequence
if TYPE_CHECKING or __package__:
    from loremap.interfaces.hooks.known import ENV_PREFIXES, SILENCE
else:
    from known import ENV_PREFIXES, SILENCE

TOTAL_MS = 225
"""From the end of the input to the answer; what is left of 300 ms starts and ends the process. The
launcher says more in LOREMAP_HOOK_MS where `inject.deadline_ms` is more."""
BEGINNING_S = 1.0
"""Where a session or a subagent begins, a resident that has proved itself is waited for longer:
nobody has asked anything yet, and the brief takes its time in a folder that is new to it."""
BEGINNINGS = ("SessionStart", "sessionStart", "SubagentStart", "subagentStart")
AWAITED_S = 0.02
"""How often a resident that is being started is asked for."""
HELLO_S = 0.120
"""A listener that has not proved itself by then hangs."""
SPARE_S = 0.025
"""The resident is told a little less, so that it can still say that it has taken the event."""
INPUT_S = 2.0
PAYLOAD_BYTES = 16 << 20
"""Of what is longer only a reference is kept."""
PARSED_BYTES = 1 << 20
"""A longer payload is searched for its names and not parsed where time is short."""
NONCE_BYTES = MAC_BYTES = KEY_BYTES = 32
FAILURES = 3
FIRST_REST_S, REST_S = 1.0, 30.0
"""So many failures in a row, and nobody is asked for a while: a short one first, because a resident
that is just starting is slow, and twice as long after each that follows."""
UNIX_PATH_BYTES = 100
STANDBY = "standby"
"""The folder that is there where a hook may find something to answer with by itself."""
CAUGHT_BYTES = 256 << 10

ANSWERED, TAKEN, REFUSED, LEAVING, ABSENT = b"+", b"=", b"-", b">", b""
"""How the resident answers: an answer follows; it is still at it, and should it die, a reference is
all there is; not recorded; as the first, and it makes room for a newer one, which the client
starts; nobody is there."""
UNRECORDED = b"~"
"""As the first, but the event itself could not be written down."""

ENV_ENDINGS = ("_DIR", "_ID", "_CWD", "_ROOT", "_ENTRYPOINT", "_VERSION", "_CLI", "_PID", "CODE")
INCOGNITO = "LOREMAP_INCOGNITO"
NOT_SET = ("", "0", "false", "no", "off")
ENV_NAMES = (INCOGNITO, "LOREMAP_SESSION")


class Unproven(Exception):
    """Who listens does not know the key, or the folder is not ours alone."""


class TooLate(Exception):
    """The time was over."""


class Clock:
    """What is left of a deadline."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self, most: float = 1e9) -> float:
        """The seconds left, at most `most`; raises if there are none."""
        left = min(self.end - time.monotonic(), most)
        if left <= 0:
            raise TooLate
        return left


# The wire


def ticket_for(payload: bytes) -> str:
    """By what this run of a hook is known, to the resident and in a reference: what it carries, as
    a digest, which another run for the same event shares; then when it began, and its process."""
    from _blake2 import blake2b

    part = payload
    if len(payload) > PARSED_BYTES:
        part = payload[: 1 << 16] + payload[-(1 << 16) :]
    digest = blake2b(part, digest_size=8).hexdigest()
    return f"{digest}:{time.time_ns()}-{system.getpid()}"


def proof(key: bytes, who: bytes, first: bytes, second: bytes) -> bytes:
    """What only somebody who knows the key can say of two nonces."""
    from _blake2 import blake2b

    return blake2b(who + first + second, key=key, digest_size=MAC_BYTES).digest()


def read_key(run: str) -> bytes:
    """The key in the run folder, which must be ours alone."""
    check_private(run)
    key = read_file(f"{run}/key", most=KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise Unproven("key")
    return key


def check_private(run: str) -> None:
    """Raise where the run folder is a link, another user's, or open to others."""
    found = system.lstat(run)
    if found.st_mode & 0o170000 != 0o040000:
        raise Unproven("folder")
    if sys.platform == "win32":
        return
    if found.st_uid != system.getuid() or found.st_mode & 0o077:
        raise Unproven("owner")
    above, _, name = run.rpartition("/")
    if name != "run" and system.lstat(above).st_uid != system.getuid():  # anybody may write in /tmp
        raise Unproven("owner")


def connect(run: str, clock: Clock, *, hello_s: float = HELLO_S) -> socket:
    """A connection to a resident that has proved itself; it holds our proof already."""
    from _operator import _compare_digest

    key = read_key(run)
    found = _connected(run, clock, hello_s)
    try:
        nonce = system.urandom(NONCE_BYTES)
        hello = Clock(clock.left(hello_s))
        send(found, nonce, hello)
        theirs = receive(found, NONCE_BYTES + MAC_BYTES, hello)
        other, said = theirs[:NONCE_BYTES], theirs[NONCE_BYTES:]
        if not _compare_digest(said, proof(key, b"resident", nonce, other)):
            raise Unproven("listener")
        send(found, proof(key, b"client", other, nonce), clock)
    except BaseException:
        found.close()
        raise
    return found


def _connected(run: str, clock: Clock, hello_s: float) -> socket:
    import _socket

    path = f"{run}/hook.sock"
    if hasattr(_socket, "AF_UNIX"):
        found = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        address: object = path
    else:  # the file names a port of this machine; the proof is the same
        found = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        address = ("127.0.0.1", int(read_file(path, most=16)))
    try:
        found.settimeout(clock.left(hello_s))
        found.connect(address)  # type: ignore[arg-type]
    except BaseException:
        found.close()
        raise
    return found


def send(sock: socket, data: bytes, clock: Clock) -> None:
    """Send all of it in time."""
    sock.settimeout(clock.left())
    sock.sendall(data)


def receive(sock: socket, length: int, clock: Clock) -> bytes:
    """Exactly so many bytes, in time."""
    parts, missing = [], length
    while missing:
        sock.settimeout(clock.left())
        part = sock.recv(min(missing, 1 << 18))
        if not part:
            raise EOFError
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def frame(header: dict[str, str], payload: bytes) -> bytes:
    """A header and what it announces, as they are sent after the proof."""
    head = "\0".join(f"{name}={value}" for name, value in header.items())
    coded = head.encode("utf-8", "surrogateescape")
    return len(coded).to_bytes(4, "big") + coded + len(payload).to_bytes(8, "big") + payload


def answer_of(sock: socket, clock: Clock) -> tuple[bytes, bytes]:
    """How the resident answered, and with what."""
    head = receive(sock, 5, clock)
    return head[:1], receive(sock, int.from_bytes(head[1:], "big"), clock)


def described(kind: str, client: str, name: str) -> dict[str, str]:
    """The header every connection begins with."""
    header = {"kind": kind, "client": client, "name": name, "cwd": folder_here()}
    version, stamp = installed()
    header.update({"version": version, "stamp": stamp})
    for each, value in environment().items():
        header[f"env.{each}"] = value
    return header


def installed() -> tuple[str, str]:
    """The version of this installation, and when it was made."""
    path = f"{here()}/../../model/version.py"
    try:
        text = read_file(path, most=2_000).decode("utf-8", "replace")
        return text.partition('VERSION = "')[2].partition('"')[0], str(
            system.stat(path).st_mtime_ns
        )
    except OSError:
        return "", "0"


def here() -> str:
    """The folder this file lies in."""
    return __file__.replace("\\", "/").rpartition("/")[0] or "."


def folder_here() -> str:
    """The working folder; empty where it is gone."""
    try:
        return system.getcwd()
    except OSError:
        return ""


def variables() -> dict[str, str]:
    """The environment, as text; bytes that are no text stay what they are."""
    found = {}
    for name, value in system.environ.items():
        if isinstance(name, bytes):
            found[name.decode("utf-8", "surrogateescape")] = value.decode(
                "utf-8", "surrogateescape"
            )
        else:  # pragma: no cover  (Windows)
            found[name] = value
    return found


def environment() -> dict[str, str]:
    """What an adapter may need of the environment: places and names, never a key."""
    return {
        name: value[:4_096]
        for name, value in variables().items()
        if name in ENV_NAMES or (name.startswith(ENV_PREFIXES) and name.endswith(ENV_ENDINGS))
    }


def total_s() -> float:
    """How long an answer is waited for in all."""
    said = variables().get("LOREMAP_HOOK_MS", "")
    return (int(said) if said.isdecimal() else TOTAL_MS) / 1_000


def is_incognito(env: Mapping[str, str]) -> bool:
    """Whether this environment says that nothing of the session may be kept."""
    return env.get(INCOGNITO, "").lower() not in NOT_SET


# Files


def read_file(path: str, *, most: int) -> bytes:
    """The first bytes of a file."""
    descriptor = system.open(path, system.O_RDONLY | getattr(system, "O_CLOEXEC", 0))
    try:
        parts, missing = [], most
        while missing:
            part = system.read(descriptor, min(missing, 1 << 18))
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
    finally:
        system.close(descriptor)


def write_file(path: str, data: bytes, *, append: bool = False) -> None:
    """Write a file that only its owner may read."""
    how = system.O_APPEND if append else system.O_TRUNC
    flags = system.O_WRONLY | system.O_CREAT | how | getattr(system, "O_CLOEXEC", 0)
    descriptor = system.open(path, flags, 0o600)
    try:
        write_all(descriptor, data)
    finally:
        system.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[system.write(descriptor, data) :]


def make_folders(path: str) -> None:
    """Make a folder and those above it, for their owner only."""
    above = path.rpartition("/")[0]
    if above and not exists(above):
        make_folders(above)
    try:
        system.mkdir(path, 0o700)
    except FileExistsError:
        return


def exists(path: str) -> bool:
    """Whether there is something at `path`."""
    try:
        system.stat(path)
    except OSError:
        return False
    return True


# The input


def read_input() -> tuple[bytes, bool]:
    """What the agent says on standard input, and whether that is all of it. An agent that leaves
    it open is not waited for."""
    parts: list[bytes] = []
    length = 0
    while True:
        try:
            if not _readable(0, Clock(INPUT_S)):
                return b"".join(parts), length <= PAYLOAD_BYTES
            part = system.read(0, 1 << 18)
        except (OSError, TooLate):
            part = b""
        if not part:
            return b"".join(parts), length <= PAYLOAD_BYTES
        length += len(part)
        if length <= PAYLOAD_BYTES:
            parts.append(part)


def _readable(descriptor: int, clock: Clock) -> bool:
    if sys.platform == "win32":  # a pipe cannot be waited for there
        return True
    import select

    if system.isatty(descriptor):
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(clock.left() * 1_000))


# When nobody answers


def resting(run: str) -> bool:
    """Whether so many failed lately that nobody is asked."""
    count, until = _failures(run)
    return count >= FAILURES and 0 < until - time.time() <= REST_S + 1


def note_failure(run: str) -> None:
    """Count a failure; from the third in a row on each begins a rest."""
    count = min(_failures(run)[0] + 1, FAILURES + 8)
    rest = min(FIRST_REST_S * 2 ** max(count - FAILURES, 0), REST_S)
    write_file(f"{run}/failures", f"{count} {time.time() + rest:.2f}".encode())


def note_success(run: str) -> None:
    """Forget failures."""
    if exists(f"{run}/failures"):
        system.unlink(f"{run}/failures")


def _failures(run: str) -> tuple[int, float]:
    try:
        count, _, until = read_file(f"{run}/failures", most=64).partition(b" ")
        return int(count), float(until)
    except (OSError, ValueError):
        return 0, 0.0


# One event


def handed_over(
    run: str, header: dict[str, str], payload: bytes, clock: Clock | None = None
) -> tuple[bytes, bytes]:
    """How the resident answered, and with what; by `clock`, where it is waited for already."""
    is_awaited = clock is not None
    clock = clock or Clock(total_s())
    sock = connect(
        run, clock, hello_s=BEGINNING_S if is_awaited else max(HELLO_S, clock.left() / 2)
    )
    try:
        if header["name"] in BEGINNINGS and not is_awaited:
            clock = Clock(max(BEGINNING_S, clock.left()))
        header["budget_ms"] = str(int((clock.left() - SPARE_S) * 1_000))
        send(sock, frame(header, payload), clock)
        how, answer = answer_of(sock, clock)
    finally:
        sock.close()
    note_success(run)
    return how, answer


def awaited(home: str, run: str, header: dict[str, str], payload: bytes) -> tuple[bytes, bytes]:
    """The answer of a resident that is being started, which the beginning of a session waits for
    as long as it may."""
    clock = Clock(BEGINNING_S)
    _start_resident(home, run, soon=False)
    try:
        while True:
            try:
                return handed_over(run, header, payload, clock)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(clock.left(AWAITED_S))
    except (TooLate, TimeoutError):
        return REFUSED, b""


def serve_hook(home: str, run: str, client: str, name: str) -> None:
    """Hand one event over, print what is answered, and keep a reference where nobody took it. What
    a person confirmed, and how a session begins, is answered even then."""
    payload, whole = read_input()
    if "LOREMAP_OFF" in variables() or exists(f"{home}/off"):
        return
    header = described("hook", client, name)
    header["ticket"] = ticket_for(payload)
    how, answer = REFUSED, b""
    try:
        if whole and not resting(run):
            how, answer = handed_over(run, header, payload)
    except (FileNotFoundError, ConnectionRefusedError):
        how = ABSENT
        if name in BEGINNINGS:
            how, answer = _awaited(home, run, header, payload)
    except (OSError, EOFError, TooLate, Unproven) as fault:
        _let_rest(run)
        caught(home, "hook", fault)
    if whole and how in (REFUSED, TAKEN, ABSENT) and exists(f"{home}/{STANDBY}"):
        answer = _stood_in(home, header, payload)
    try:
        write_all(1, answer or SILENCE.get(client, b""))
    finally:  # whether or not the agent still listens
        if how not in (ANSWERED, LEAVING) and not is_incognito(variables()):
            _leave_reference(home, header, payload)
        if how in (ABSENT, LEAVING):  # last, because it takes the processor from all else
            _start_resident(home, run, soon=how == LEAVING)


def _awaited(home: str, run: str, header: dict[str, str], payload: bytes) -> tuple[bytes, bytes]:
    try:
        return awaited(home, run, header, payload)
    except (OSError, EOFError, Unproven) as fault:
        caught(home, "hook, starting", fault)
        return REFUSED, b""


def _stood_in(home: str, header: dict[str, str], payload: bytes) -> bytes:
    """What is answered without a resident; nothing where anything fails. Loaded only now."""
    try:
        if TYPE_CHECKING or __package__:
            from loremap.interfaces.hooks import standin
        else:
            import standin

        return standin.answer(home, header, payload)
    except Exception as fault:  # noqa: BLE001  the event must still be kept, and a resident started
        caught(home, "hook, standing in", fault)
        return b""


def _leave_reference(home: str, header: dict[str, str], payload: bytes) -> None:
    """Loaded only now: most hooks are answered."""
    if TYPE_CHECKING or __package__:
        from loremap.interfaces.hooks import spool
    else:
        import spool

    spool.leave(home, header, payload)


def _start_resident(home: str, run: str, *, soon: bool) -> None:
    if TYPE_CHECKING or __package__:
        from loremap.interfaces.hooks import start
    else:
        import start

    start.start_resident(home, run, every_s=1.0 if soon else start.START_EVERY_S)


def _let_rest(run: str) -> None:
    try:
        note_failure(run)
    except OSError:
        return


def caught(home: str, where: str, fault: BaseException) -> None:
    """Write down where something went wrong and of what kind, for `lore doctor`; never what an
    error says, which may hold what an agent said."""
    lines, trace = [], fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        file = code.co_filename.replace("\\", "/").rpartition("/")[2]
        lines.append(f'"{file}:{trace.tb_lineno} {code.co_name}"')
        trace = trace.tb_next
    line = (
        f'{{"at": {time.time_ns() // 1_000_000}, "where": "{where}", '
        f'"fault": "{type(fault).__name__}", '
        f'"lines": [{", ".join(lines[-6:])}]}}\n'
    )
    path = f"{home}/caught.jsonl"
    try:
        if not exists(path) or system.stat(path).st_size < CAUGHT_BYTES:
            write_file(path, line.encode(), append=True)
    except OSError:
        return


def given(arguments: Sequence[str]) -> tuple[str, str, list[str]]:
    """The home, the run folder, and the words after them."""
    home = run = ""
    words = []
    rest = iter(arguments)
    for word in rest:
        if word == "--home":
            home = next(rest, "")
        elif word == "--run":
            run = next(rest, "")
        else:
            words.append(word)
    return home, run or f"{home}/run", words


def main() -> None:
    """Serve one event and end with 0, whatever happens."""
    home = ""
    try:
        home, run, words = given(sys.argv[1:])
        if home and words[:1] == ["hook"]:
            serve_hook(home, run, words[1] if len(words) > 1 else "", "".join(words[2:3]))
    except BaseException as fault:  # noqa: BLE001  memory must never stop the agent
        if home:
            caught(home, "hook", fault)
    system._exit(0)
