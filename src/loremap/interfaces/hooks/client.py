"""What an agent starts at every event: hands the event to the resident and prints its answer.

Run as `python -I -S client.py --home H --run R hook CLIENT [EVENT]`. Imports nothing but what is
compiled into Python, because an agent waits for it; whatever goes wrong, it ends with 0.
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
    from collections.abc import Sequence

TOTAL_S = 0.225
"""From the end of the input to the answer; what is left of 300 ms starts and ends the process."""
BEGINNING_S = 1.0
"""Where a session or a subagent begins, a resident that has proved itself is waited for longer:
nobody has asked anything yet, and the brief takes its time in a folder that is new to it."""
BEGINNINGS = ("SessionStart", "sessionStart", "SubagentStart", "subagentStart")
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
START_EVERY_S = 5.0
UNIX_PATH_BYTES = 100
CAUGHT_BYTES = 256 << 10

ANSWERED, TAKEN, REFUSED, LEAVING, ABSENT = b"+", b"=", b"-", b">", b""
UNRECORDED = b"~"
"""As the first, but the event itself could not be written down."""
"""How the resident answers: an answer follows; recorded, but no answer in time; not recorded;
as the first, and it makes room for a newer one, which the client starts; nobody is there."""

ENV_PREFIXES = ("CLAUDE", "GEMINI_", "COPILOT_", "CURSOR_", "CODEX_", "OPENCODE", "CLINE_")
ENV_ENDINGS = ("_DIR", "_ID", "_CWD", "_ROOT", "_ENTRYPOINT", "_VERSION", "_CLI", "_PID", "CODE")
NOT_SET = ("", "0", "false", "no", "off")
ENV_NAMES = ("LOREMAP_INCOGNITO", "LOREMAP_SESSION")
NOT_PASSED_ON = ("LOREMAP_AGENT", "LOREMAP_OFF", "PYTHONPATH", "PYTHONHOME")
NOTHING = {"gemini": b"{}", "cline": b"{}", "cursor": b"{}"}
"""What these clients want to read where nothing is said; the others take silence."""


class Unproven(Exception):
    """Who listens does not know the key, or the folder is not ours alone."""


class TooLate(Exception):
    """The time was over."""


class Clock:
    """What is left of a deadline."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self, most: float = 1e9) -> float:
        """The seconds left, at most `most`; raises where there are none."""
        left = min(self.end - time.monotonic(), most)
        if left <= 0:
            raise TooLate
        return left


# The wire


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


def spool(home: str, header: dict[str, str], payload: bytes) -> None:
    """Keep a reference to an event that nobody took; nothing of its content."""
    told = reference(header, payload)
    import json

    folder = f"{home}/spool"
    if not exists(folder):
        make_folders(folder)
    name = f"{folder}/{time.time_ns()}-{system.getpid()}"
    write_file(f"{name}.new", json.dumps(told).encode())
    system.rename(f"{name}.new", f"{name}.json")


def make_folders(path: str) -> None:
    """Make a folder and those above it, for their owner only."""
    above = path.rpartition("/")[0]
    if above and not exists(above):
        make_folders(above)
    try:
        system.mkdir(path, 0o700)
    except FileExistsError:
        return


def reference(header: dict[str, str], payload: bytes) -> dict[str, str | int | None]:
    """The names by which an event is found again in the client's transcript."""
    told = _names(payload)
    transcript = _first(told, "transcript_path", "transcriptPath")
    offset: int | None = None
    if transcript:
        try:
            offset = system.stat(transcript).st_size
        except (OSError, ValueError):
            offset = None
    env = {name[4:]: value for name, value in header.items() if name.startswith("env.")}
    session = _first(told, "session_id", "sessionId", "conversation_id", "taskId")
    return {
        "client": header["client"],
        "event": _first(told, "hook_event_name", "hookEventName", "hookName") or header["name"],
        "session_id": session or _first(env, "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"),
        "cwd": told.get("cwd") or header["cwd"],
        "transcript_path": transcript,
        "offset": offset,
        "tool_use_id": _first(told, "tool_use_id", "toolUseId"),
        "tool_name": _first(told, "tool_name", "toolName"),
        "at": time.time_ns() // 1_000_000,
        **{name: told[name] for name in TURN if name in told},
    }


def _first(told: dict[str, str], *names: str) -> str | None:
    return next((told[name] for name in names if told.get(name)), None)


TURN = ("prompt_id", "turn_id", "agent_id", "agent_type")
WANTED = (
    *("session_id", "sessionId", "conversation_id", "taskId", "cwd"),
    *("hook_event_name", "hookEventName", "hookName", "transcript_path", "transcriptPath"),
    *("tool_use_id", "toolUseId", "tool_name", "toolName", *TURN),
)
"""The fields by which an event is found again; never what was said in it."""


def _names(payload: bytes) -> dict[str, str]:
    import json

    if len(payload) > PARSED_BYTES:
        return _searched(payload[: 1 << 16] + payload[-(1 << 16) :])
    try:
        told = json.loads(payload)
    except (ValueError, RecursionError):
        return _searched(payload[: 1 << 16])
    if not isinstance(told, dict):
        return {}
    return {name: told[name] for name in WANTED if isinstance(told.get(name), str)}


def _searched(payload: bytes) -> dict[str, str]:
    """The names in a payload that is too long, or too broken, to be parsed."""
    import json

    found, text = {}, payload.decode("utf-8", "replace")
    for name in WANTED:
        after = text.partition(f'"{name}"')[2].lstrip()
        after = after[1:].lstrip() if after.startswith(":") else ""
        if after.startswith('"'):
            try:
                value, _ = json.JSONDecoder(strict=False).raw_decode(after)
            except ValueError:
                continue
            if len(value) < 4_096:
                found[name] = value
    return found


# Starting the resident


def start_resident(
    home: str, run: str, *, every_s: float = START_EVERY_S, reap: bool = False
) -> bool:
    """Start the resident on its own, unless somebody has just done so; its lock decides which of
    two stays. Who goes on living says `reap`."""
    mark = f"{run}/starting"
    try:
        found = system.stat(mark)
        if not found.st_size and 0 <= time.time() - found.st_mtime < every_s:
            return False  # one that has begun since would have filled it
    except OSError:
        make_folders(run)
    check_private(run)
    write_file(mark, b"")
    program = sys.executable
    if not program:
        return False
    arguments = [program, "-E", "-P", "-m", "loremap.interfaces.resident", "--home", home]
    _spawn(program, arguments, resident_environment(home), reap=reap)
    return True


def resident_environment(home: str) -> dict[str, str]:
    """What the resident inherits: not what belongs to the session that happened to start it."""
    found = {
        name: value
        for name, value in variables().items()
        if not name.startswith(ENV_PREFIXES) and name not in (*ENV_NAMES, *NOT_PASSED_ON)
    }
    return {**found, "LOREMAP_HOME": home, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


def _spawn(program: str, arguments: list[str], env: dict[str, str], *, reap: bool) -> None:
    """Start a process that outlives this one, holds none of its files and is nobody's child."""
    if sys.platform == "win32":  # pragma: no cover
        import subprocess

        detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(arguments, env=env, close_fds=True, creationflags=detached,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)  # fmt: skip
        return
    child = system.fork()
    if child:
        if reap:
            system.waitpid(child, 0)
        return
    try:
        system.setsid()
        if system.fork():
            system._exit(0)
        nothing = system.open("/dev/null", system.O_RDWR)
        for descriptor in (0, 1, 2):
            system.dup2(nothing, descriptor)
        system.closerange(3, 256)
        system.chdir("/")
        system.execve(program, arguments, env)
    finally:
        system._exit(127)


# One event


def handed_over(run: str, header: dict[str, str], payload: bytes) -> tuple[bytes, bytes]:
    """How the resident answered, and with what."""
    clock = Clock(TOTAL_S)
    sock = connect(run, clock)
    try:
        if header["name"] in BEGINNINGS:
            clock = Clock(BEGINNING_S)
        header["budget_ms"] = str(int((clock.left() - SPARE_S) * 1_000))
        send(sock, frame(header, payload), clock)
        how, answer = answer_of(sock, clock)
    finally:
        sock.close()
    note_success(run)
    return how, answer


def serve_hook(home: str, run: str, client: str, name: str) -> None:
    """Hand one event over, print what is answered, and keep a reference where nobody took it."""
    payload, whole = read_input()
    if "LOREMAP_OFF" in variables() or exists(f"{home}/off"):
        return
    header = described("hook", client, name)
    how, answer = REFUSED, b""
    try:
        if whole and not resting(run):
            how, answer = handed_over(run, header, payload)
    except (FileNotFoundError, ConnectionRefusedError):
        how = ABSENT
    except (OSError, EOFError, TooLate, Unproven) as fault:
        _let_rest(run)
        caught(home, "hook", fault)
    taken = how in (ANSWERED, TAKEN, LEAVING)
    heard = taken or how == UNRECORDED
    write_all(1, answer if heard and answer else NOTHING.get(client, b""))
    if not taken and header.get("env.LOREMAP_INCOGNITO", "").lower() in NOT_SET:
        spool(home, header, payload)
    if how in (ABSENT, LEAVING):  # last, because it takes the processor from all else
        start_resident(home, run, every_s=START_EVERY_S if how == ABSENT else 1.0)


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


if __name__ == "__main__":
    main()
