"""What an agent starts as its MCP server: carries its lines to the resident and back.

Run as `python -I -S relay.py --home H --run R mcp [CLIENT]`. When the resident is replaced or ends
in between, the next line finds another one, which is told again how the session began.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from loremap.interfaces.hooks import client, start
else:
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0])
    import client
    import start

if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable

REACH_S = 8.0
"""How long the resident may take to come up; a client waits longer for its server."""
HELLO_S = 3.0
HUNG_S = 10.0
"""A resident that owes an answer and says nothing this long is asked whether it lives."""
POLL_S = 0.05
DOWN = -32000
"""JSON-RPC's first code for an error of a server's own."""
MAX_LINE_BYTES = 4 << 20
"""The resident takes no longer message."""
TOO_LONG = "The message is too long for Loremap: 4 MB is the most."
SORRY = "Loremap's resident does not answer; `lore doctor` says why."


class Unreachable(Exception):
    """No resident came up in time."""


def reached(home: str, run: str, name: str, *, seconds: float = REACH_S) -> socket:
    """A connection on which the resident speaks MCP; it is started if there is none."""
    header = client.described("mcp", name, "")
    until = time.monotonic() + seconds
    while True:
        try:
            found = _opened(run, header)
            if found is not None:
                return found
            start.start_resident(home, run, every_s=1.0, reap=True)
        except (FileNotFoundError, ConnectionRefusedError):
            _start(home, run)
        except (NotADirectoryError, PermissionError) as fault:
            raise Unreachable from fault
        except (OSError, EOFError, client.TooLate, client.Unproven) as fault:
            client.caught(home, "relay", fault)
        if time.monotonic() > until:
            raise Unreachable
        time.sleep(POLL_S)


def _start(home: str, run: str) -> None:
    try:
        start.start_resident(home, run, every_s=3.0, reap=True)
    except (OSError, client.Unproven) as fault:
        client.caught(home, "relay", fault)
        raise Unreachable from fault


def _opened(run: str, header: dict[str, str]) -> socket | None:
    """The connection; None where the resident makes room for a newer one, or cannot answer."""
    clock = client.Clock(REACH_S)
    sock = client.connect(run, clock, hello_s=HELLO_S)
    try:
        header["budget_ms"] = str(int(REACH_S * 900))
        client.send(sock, client.frame(header, b""), clock)
        how, _ = client.answer_of(sock, clock)
    except BaseException:
        sock.close()
        raise
    if how == client.ANSWERED:
        sock.settimeout(HUNG_S)
        return sock
    sock.close()
    return None


class Relay:
    """One agent's session with whichever resident is there."""

    def __init__(self, home: str, run: str, name: str) -> None:
        self._home, self._run, self._name = home, run, name
        self._lock = threading.Lock()
        self._sock: socket | None = None
        self._opening: list[bytes] = []
        self._unanswered: dict[str, bytes] = {}
        self._silenced: set[str] = set()
        self._again: set[str] = set()
        """What was asked twice already: what ends a resident is not asked a third time."""
        self._trouble = 0.0

    def run(self) -> None:
        """Carry lines until the agent closes its end."""
        for line in sys.stdin.buffer:
            if line.strip():
                self._from_agent(line if line.endswith(b"\n") else line + b"\n")
        self._finish()

    def _from_agent(self, line: bytes) -> None:
        told = _parsed(line)
        if len(line) > MAX_LINE_BYTES:
            if not told or told.get("id") is not None:
                _refuse(told.get("id"), TOO_LONG)
            return
        with self._lock:
            fresh = self._sock is None
            if "method" in told and told.get("id") is not None:
                self._unanswered[json.dumps(told["id"])] = line
            if not fresh and self._sent(line):
                self._remember(told, line)
                return
            # What was under way when the resident went is asked again with this line.
            self._reopen(told, line)
            self._remember(told, line)

    def _remember(self, told: dict[str, object], line: bytes) -> None:
        """Keep how the session began, to say it to the next resident."""
        if told.get("method") == "initialize":
            self._opening = [line]
        elif told.get("method") == "notifications/initialized" and self._opening:
            self._opening = [self._opening[0], line]

    def _sent(self, line: bytes) -> bool:
        try:
            assert self._sock is not None
            self._sock.sendall(line)
        except OSError:
            self._sock = None
            return False
        return True

    def _reopen(self, told: dict[str, object], line: bytes) -> None:
        """Find a resident, tell it how the session began and all it still owes us."""
        if time.monotonic() < self._trouble:
            self._apologise(self._unanswered)
            return
        try:
            sock = reached(self._home, self._run, self._name)
        except Unreachable:
            self._trouble = time.monotonic() + 5.0
            self._apologise(self._unanswered)
            return
        self._sock = sock
        owed = list(self._unanswered.values())
        opening = [each for each in self._opening if each not in owed]
        opening = [] if told.get("method") == "initialize" else opening
        self._silenced = {json.dumps(_parsed(each).get("id")) for each in opening[:1]}
        threading.Thread(target=self._from_resident, args=(sock,), daemon=True).start()
        for each in [*opening, *(owed if told.get("id") is not None else [*owed, line])]:
            if not self._sent(each):
                return

    def _from_resident(self, sock: socket) -> None:
        """Print what the resident says; when it goes, what it still owes is asked of the next."""
        rest = b""
        while True:
            try:
                part = sock.recv(1 << 18)
            except TimeoutError:
                if not self._unanswered or self._lives():
                    continue
                self._give_up(sock)
                return
            except OSError:
                part = b""
            if not part:
                break
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                self._to_agent(line)
        with self._lock:
            if self._sock is not sock and self._sock is not None:
                return
            self._sock = None
            self._apologise(set(self._unanswered) & self._again)
            if self._unanswered:
                self._again |= set(self._unanswered)
                self._reopen({"id": 0}, b"")

    def _lives(self) -> bool:
        """Whether the resident still answers who knocks."""
        try:
            client.connect(self._run, client.Clock(HELLO_S), hello_s=HELLO_S).close()
        except (OSError, EOFError, client.TooLate, client.Unproven) as fault:
            client.caught(self._home, "relay, hung", fault)
            return False
        return True

    def _give_up(self, sock: socket) -> None:
        """Answer in the place of a resident that hangs; the next line looks for another."""
        with self._lock:
            if self._sock is sock:
                self._sock = None
            self._apologise(self._unanswered)
        sock.close()

    def _to_agent(self, line: bytes) -> None:
        told = _parsed(line)
        if "method" not in told and "id" in told:
            key = json.dumps(told["id"])
            if key in self._silenced:
                self._silenced.discard(key)
                return
            self._unanswered.pop(key, None)
        _print(line + b"\n")

    def _apologise(self, keys: Iterable[str]) -> None:
        """Answer what was asked with one clear line."""
        for key in list(keys):
            _refuse(json.loads(key), SORRY)
            self._unanswered.pop(key, None)

    def _finish(self) -> None:
        """Let what is under way be answered, for a client that closes its end early."""
        until = time.monotonic() + 2.0
        while self._unanswered and self._sock is not None and time.monotonic() < until:
            time.sleep(POLL_S)


def _parsed(line: bytes) -> dict[str, object]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _refuse(id_: object, why: str) -> None:
    error = {"code": DOWN, "message": why}
    _print(json.dumps({"jsonrpc": "2.0", "id": id_, "error": error}).encode() + b"\n")


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def main() -> None:
    """Serve one agent's session."""
    home, run, words = client.given(sys.argv[1:])
    try:
        if home and words[:1] == ["mcp"] and "LOREMAP_OFF" not in os.environ:
            Relay(home, run, words[1] if len(words) > 1 else "").run()
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(0)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
