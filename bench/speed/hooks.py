"""What a hook costs as a whole process: against a warm resident, a killed one and one that hangs;
how long the first hook of all waits for the resident that is being started; and whether without
any a dangerous command is held, how quickly, and a session begins briefed.

Run: python -m bench.speed.hooks [--memories 10000] [--runs 200] [--work DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from bench.speed.sentences import Writer
from bench.speed.stores import REAL_VECTORS, default_work, store_of
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap import app as memory
from loremap.interfaces.hooks.launcher import launcher
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import ResidentState, run_folder
from loremap.model.memory import Trigger

RUNS = 200
WARM_UP = 10
FEW = 20
MAX_TIMES = {"prompt": 3.5, "before tool": 2.0, "after tool": 2.0}
"""A bare process."""
MAX_WITHOUT_MS = 300.0
MAX_STARTING_MS = 1_000.0
MAX_TIMES_ALONE = 3.0
LESSON = "Never force-push to main; it lost a week of work in May."
SEED = 11
READY_S = 60.0
POLL_S = 0.02
BARE = [sys.executable, "-I", "-S", "-c", "pass"]


class Agent:
    """Starts hooks as an agent does, in one session, with ever new things to say."""

    def __init__(self, home: Path, folder: Path, session: str = "bench") -> None:
        self._program = str(launcher(home))
        self._folder, self._session = folder, session
        self._sentences = Writer(SEED).sentences()
        self._numbers = count()
        self._transcript = home.parent / f"{session}.jsonl"

    def start(self) -> bytes:
        """A session begins."""
        return self._told("SessionStart", source="startup")

    def prompt(self) -> bytes:
        """A prompt that was not said before."""
        said = f"{next(self._sentences)} ({next(self._numbers)})"
        return self._told("UserPromptSubmit", prompt=said)

    def before_tool(self) -> bytes:
        """A command that is about to be run."""
        return self._told("PreToolUse", **self._call())

    def dangerous(self) -> bytes:
        """A command that a person has warned of."""
        call = self._call() | {"tool_input": {"command": "cd . && git push origin main -f"}}
        return self._told("PreToolUse", **call)

    def after_tool(self) -> bytes:
        """A command that was run."""
        return self._told("PostToolUse", tool_response={"stdout": "ok"}, **self._call())

    def _call(self) -> dict[str, object]:
        number = next(self._numbers)
        return {
            "tool_name": "Bash",
            "tool_use_id": f"{self._session}-{number}",
            "tool_input": {"command": f"run the tests of part {number}"},
        }

    def _told(self, event: str, **fields: object) -> bytes:
        base = {
            "session_id": self._session,
            "transcript_path": str(self._transcript),
            "cwd": str(self._folder),
            "hook_event_name": event,
        }
        return json.dumps(base | fields).encode()

    def hook(self, payload: bytes) -> bytes:
        """Run one hook to its end; what it printed."""
        done = subprocess.run(
            [self._program, "hook", "claude", json.loads(payload)["hook_event_name"]],
            input=payload,
            stdout=subprocess.PIPE,
            check=True,
        )
        self._write_down(json.loads(payload).get("prompt"))
        return done.stdout

    def _write_down(self, prompt: str | None) -> None:
        """Keep a transcript as agents do: a prompt stands in it after its hook has run."""
        if prompt is not None:
            lines = [
                {"type": "user", "message": {"role": "user", "content": prompt}},
                {"type": "assistant", "message": {"role": "assistant", "content": "I see."}},
            ]
            with self._transcript.open("a") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))


@contextmanager
def home_of(size: int, *, work: Path, real_vectors: int) -> Iterator[tuple[Path, Path]]:
    """A data folder of its own with so many memories, and the project they belong to."""
    with store_of(size, work=work, real_vectors=real_vectors) as lore:
        kept, folder = lore.places.home, lore.folder
    with tempfile.TemporaryDirectory(prefix="lore-bench-") as made:
        home = Path(made) / "home"
        shutil.copytree(kept, home)
        home.chmod(0o700)
        os.environ["LOREMAP_HOME"] = str(home)
        try:
            yield home, folder
        finally:
            while reach.stop(home):
                time.sleep(0.1)


def warm_resident(home: Path) -> ResidentState:
    """The resident, with all loaded that it loads by itself."""
    until = time.monotonic() + READY_S
    state = reach.ensure(home, wait_s=READY_S).state
    while state is None or not state.speaks_mcp:
        if time.monotonic() > until:
            raise TimeoutError("the resident did not become ready")
        time.sleep(0.1)
        state = reach.status(home)
    return state


def bare() -> None:
    """The least that a Python process costs."""
    subprocess.run(BARE, stdin=subprocess.DEVNULL, check=True)


def warm(home: Path, folder: Path, runs: int) -> list[Times]:
    """Each kind of hook in turn with a bare process, so that all meet the same machine."""
    agent = Agent(home, folder)
    kinds = {
        "prompt": agent.prompt,
        "before tool": agent.before_tool,
        "after tool": agent.after_tool,
    }
    times = [Times("bare process"), *(Times(name) for name in kinds)]
    for place in range(WARM_UP + runs):
        kept = times if place >= WARM_UP else [Times("") for _ in times]
        kept[0].run(bare)
        for each, made in zip(kept[1:], kinds.values(), strict=True):
            payload = made()
            each.run(lambda payload=payload: agent.hook(payload))  # type: ignore[misc]
    return times


def without(home: Path, folder: Path, runs: int) -> list[Times]:
    """Hooks while the resident hangs, and just after it was killed."""
    agent = Agent(home, folder, "without")
    hangs, killed = Times("resident hangs"), Times("resident killed")
    pid = warm_resident(home).pid
    os.kill(pid, signal.SIGSTOP)
    for _ in range(runs):
        (run_folder(home).path / "failures").unlink(missing_ok=True)  # the worst case each time
        payload = agent.after_tool()
        hangs.run(lambda payload=payload: agent.hook(payload))  # type: ignore[misc]
    os.kill(pid, signal.SIGKILL)
    for _ in range(runs):
        (run_folder(home).path / "starting").unlink(missing_ok=True)
        payload = agent.after_tool()
        killed.run(lambda payload=payload: agent.hook(payload))  # type: ignore[misc]
        warm_resident(home)
        reach.stop(home)
    return [hangs, killed]


def started(home: Path, folder: Path, runs: int) -> list[Times]:
    """From the start of a resident's process until it can answer, and to the end of the first hook
    that is told something."""
    ready, told = Times("resident ready"), Times("first told")
    for number in range(runs):
        _stopped(home)
        ready.run(lambda: _ready(home))
        _stopped(home)
        told.run(lambda number=number: _first_told(home, folder, number))  # type: ignore[misc]
    return [ready, told]


def alone(home: Path, folder: Path, runs: int) -> tuple[list[Times], list[Bar]]:
    """Hooks with no resident and none that may start: each in a session of its own."""
    warm_resident(home)
    _warn(folder)
    first = Agent(home, folder, "before-alone")
    if LESSON.encode() not in first.hook(first.start()):
        raise AssertionError("no block was kept")
    _stopped(home)
    base, held, begun = Times("bare process, alone"), Times("held alone"), Times("briefed alone")
    missed = {"commands let through": 0, "sessions not briefed": 0}
    for number in range(runs):
        agent = Agent(home, folder, f"alone-{number}")
        base.run(bare)
        _nobody_starts(home)
        missed["commands let through"] += not held.run(lambda a=agent: a.hook(a.dangerous()))  # type: ignore[misc]
        _nobody_starts(home)
        missed["sessions not briefed"] += LESSON.encode() not in begun.run(
            lambda a=agent: a.hook(a.start())  # type: ignore[misc]
        )
    _stopped(home)
    most = MAX_TIMES_ALONE * base.median_ms
    bars = [Bar("p95 of a held command, alone, in ms", held.p95_ms, most)]
    return [base, held, begun], bars + [Bar(what, count, 0) for what, count in missed.items()]


def _warn(folder: Path) -> None:
    """A warning of a person, pinned so that it stands in every block."""
    with memory.open(folder) as lore:
        trigger = Trigger("literal", "git push --force", "command")
        lore.remember(LESSON, kind="warning", triggers=[trigger], pin=True)


def _nobody_starts(home: Path) -> None:
    """Let it seem that somebody has just started a resident."""
    (run_folder(home).path / "starting").write_bytes(b"")


def _stopped(home: Path) -> None:
    while reach.stop(home):
        time.sleep(0.1)
    for name in ("starting", "failures"):
        (run_folder(home).path / name).unlink(missing_ok=True)


def _ready(home: Path) -> None:
    state = reach.ensure(home, wait_s=READY_S).state
    while state is None or not state.ready:
        time.sleep(POLL_S)
        state = reach.status(home)


def _first_told(home: Path, folder: Path, number: int) -> None:
    """Start a resident, and a session that is told something as soon as it can be."""
    until = time.monotonic() + READY_S
    _ready(home)
    agents = (Agent(home, folder, f"first-{number}-{each}") for each in count())
    while not (agent := next(agents)).hook(agent.start()):  # one that says the same is not heard
        (run_folder(home).path / "failures").unlink(missing_ok=True)
        if time.monotonic() > until:
            raise TimeoutError("the resident did not answer")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--few", type=int, default=FEW)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    with home_of(given.memories, work=given.work, real_vectors=given.real_vectors) as places:
        home, folder = places
        warm_resident(home)
        times = warm(home, folder, given.runs)
        times += without(home, folder, given.few)
        times += started(home, folder, given.few)
        without_any, alone_bars = alone(home, folder, given.few)
    base, (prompt, before, after), (hangs, killed, *starts) = times[0], times[1:4], times[4:]
    most = {name: times * base.median_ms for name, times in MAX_TIMES.items()}
    bars = [Bar(f"p95 of a hook, {each.name}, in ms", each.p95_ms, most[each.name])
            for each in (prompt, before, after)]  # fmt: skip
    bars += [Bar(f"longest hook, {each.name}, in ms", max(each.runs_ms), MAX_WITHOUT_MS)
             for each in (hangs, killed)]  # fmt: skip
    bars += [Bar(f"median from a resident's start, {each.name}, in ms", each.median_ms,
                 MAX_STARTING_MS) for each in starts]  # fmt: skip
    times, bars = times + without_any, bars + alone_bars
    print(table(f"{given.memories:,} memories, {given.runs} runs each", times, bars))
    print(f"  {written('hooks', summed(times, bars), folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
