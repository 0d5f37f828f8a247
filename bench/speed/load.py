"""Twenty sessions at once: events over the socket and hook processes for a minute; none is lost.

Run: python -m bench.speed.load --repo DIR [--memories 10000] [--seconds 60] [--work DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from bench.speed.hooks import Agent, home_of, warm_resident
from bench.speed.stores import REAL_VECTORS, default_work
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap.app import Lore
from loremap.config.folders import folders
from loremap.config.settings import load
from loremap.interfaces.hooks import client
from loremap.interfaces.resident.places import RunFolder, holder, run_folder
from loremap.storage.tables import events

if TYPE_CHECKING:
    from _socket import socket

SESSIONS = 20
EVENTS_PER_S = 200
HOOKS_PER_S = 20
MAX_MS = 100.0
MAX_MB = 450.0
IDLE_S = 15.0
SETTLE_S = 60.0
"""How long what was left in the spool may take to be taken up, and the idle end to come."""


@dataclass(slots=True)
class Stream:
    """One session that tells its events over the socket."""

    session: str
    folder: Path
    sent: int = 0
    safe: int = 0

    def run(self, run: RunFolder, seconds: float) -> None:
        """Send events at an even pace, and wait until all are safe."""
        clock = client.Clock(seconds + SETTLE_S)
        sock = client.connect(str(run.path), clock, hello_s=10.0)
        client.send(sock, client.frame({"kind": "events", "client": "claude"}, b""), clock)
        client.answer_of(sock, clock)
        began, every_s = time.monotonic(), SESSIONS / EVENTS_PER_S
        while time.monotonic() - began < seconds:
            said = self._event()
            client.send(sock, len(said).to_bytes(4, "big") + said, clock)
            self.sent += 1
            self._hear(sock, began + self.sent * every_s - time.monotonic())
        while self.safe < self.sent:
            self._hear(sock, clock.left())
        sock.close()

    def _hear(self, sock: socket, seconds: float) -> None:
        """Take in what is said to be safe, for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self.safe < self.sent:
            try:
                told = client.receive(sock, 4, client.Clock(left))
            except (TimeoutError, client.TooLate):
                return
            self.safe = int.from_bytes(told, "big")
        time.sleep(max(0.0, until - time.monotonic()) if seconds < 1.0 else 0.0)

    def _event(self) -> bytes:
        name = f"{self.session}-{self.sent}"
        told = {
            "session_id": self.session,
            "cwd": str(self.folder),
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": name,
            "tool_input": {"command": f"make part-{name}"},
            "tool_response": {"stdout": "built"},
        }
        return json.dumps(told).encode()


class Processes:
    """Hook processes at an even pace, over all sessions in turn."""

    def __init__(self, home: Path, folder: Path) -> None:
        self._agents = [Agent(home, folder, f"hooked-{n}") for n in range(SESSIONS)]
        self.times = Times("hook processes")
        self.recorded: Counter[str] = Counter()
        """How many events of each session are to be found."""

    def run(self, seconds: float) -> None:
        """Start them for so long, and wait for the last."""
        began, started = time.monotonic(), 0
        with ThreadPoolExecutor(SESSIONS) as pool:
            while time.monotonic() - began < seconds:
                number = started % SESSIONS
                agent = self._agents[number]
                kind = (started + started // SESSIONS) % 3  # each session has each kind in turn
                said = (agent.after_tool, agent.prompt, agent.before_tool)[kind]()
                # What is about to be done is no event yet.
                self.recorded[f"hooked-{number}"] += int(kind != 2)
                pool.submit(self._one, agent, said)
                started += 1
                time.sleep(max(0.0, began + started / HOOKS_PER_S - time.monotonic()))

    def _one(self, agent: Agent, said: bytes) -> None:
        began = time.perf_counter()
        agent.hook(said)
        self.times.runs_ms.append((time.perf_counter() - began) * 1_000)
        self.times.processor_ms.append(0.0)


class Memory:
    """The most memory a process had, looked at a few times a second, and its processor time."""

    def __init__(self, pid: int) -> None:
        self.most_mb = 0.0
        self._file = Path(f"/proc/{pid}/status")
        self._stat = Path(f"/proc/{pid}/stat")
        self._began_s = self._worked_s()
        self._stop = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self._stop.wait(0.2) and self._file.exists():
            for line in self._file.read_text().splitlines():
                if line.startswith("VmRSS:"):
                    self.most_mb = max(self.most_mb, int(line.split()[1]) / 1024)

    def close(self) -> float:
        """Look no more; the seconds of a processor it took meanwhile."""
        self._stop.set()
        return self._worked_s() - self._began_s

    def _worked_s(self) -> float:
        fields = self._stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def map_of(home: Path, repo: Path) -> int:
    """Scan and map the repository; how many files."""
    with _lore(home, repo) as lore:
        lore.init()
        lore.code.scan()
        lore.modules.map()
        return lore.code.counts().files


def kept(home: Path, folder: Path) -> Counter[str]:
    """How many events of each session the store holds."""
    query = select(events.c.session_id, func.count()).group_by(events.c.session_id)
    with _lore(home, folder) as lore, lore.store.read() as conn:
        return Counter({session: count for session, count in conn.execute(query)})


def _lore(home: Path, folder: Path) -> Lore:
    return Lore(folder, places=folders(), settings=load(home / "config.toml"))


def settled(home: Path, folder: Path) -> Counter[str]:
    """How many events of each session are kept once the spool is empty."""
    until, spool = time.monotonic() + SETTLE_S, run_folder(home).spool
    while spool.exists() and any(spool.iterdir()) and time.monotonic() < until:
        time.sleep(1.0)
    return kept(home, folder)


def wrong(wanted: Counter[str], found: Counter[str]) -> int:
    """How many events are missing, and how many too many, session by session: what one has lost
    another's double does not make up for."""
    return ((wanted - found) + (found - wanted)).total()


def ended(run: RunFolder) -> bool:
    """Whether the resident ends by itself once nobody speaks."""
    until = time.monotonic() + IDLE_S + SETTLE_S
    while holder(run) is not None and time.monotonic() < until:
        time.sleep(0.2)
    return holder(run) is None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    os.environ["LOREMAP_IDLE_SECONDS"] = str(IDLE_S)
    with home_of(given.memories, work=given.work, real_vectors=given.real_vectors) as places:
        home, _ = places
        repo = given.repo.absolute()
        files = map_of(home, repo)
        run, state = run_folder(home), warm_resident(home)
        memory = Memory(state.pid)
        hooks = Processes(home, repo)
        streams = [Stream(f"streamed-{n}", repo) for n in range(SESSIONS)]
        threads = [threading.Thread(target=s.run, args=(run, given.seconds)) for s in streams]
        threads.append(threading.Thread(target=hooks.run, args=(given.seconds,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        worked_s = memory.close()
        wanted = Counter({stream.session: stream.sent for stream in streams}) + hooks.recorded
        found = settled(home, repo)
        gone = ended(run)
    bars = [
        Bar("events lost or counted twice", wrong(wanted, found), 0),
        Bar("p95 of a hook in ms", hooks.times.p95_ms, MAX_MS),
        Bar("most memory in MB", memory.most_mb, MAX_MB),
        Bar("residents left after the idle end", int(not gone), 0),
    ]
    title = f"{given.memories:,} memories, {files:,} files mapped, {wanted.total():,} events"
    print(table(title, [hooks.times], bars))
    print(f"  the resident took {worked_s / given.seconds:.0%} of a processor")
    print(f"  {written('load', summed([hooks.times], bars), folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
