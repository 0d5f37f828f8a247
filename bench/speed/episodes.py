"""How fast the log takes events in batches, and answers what was done, with 50,000 events in it.

Run: python -m bench.speed.episodes [--events 50000] [--results DIR]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap.app.lore import Lore
from loremap.config import settings
from loremap.config.folders import folders
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.session import Session
from loremap.sessions.episodes.keep import keep_episodes
from loremap.sessions.turns import turns_of_events
from loremap.storage import events, sessions

BATCH = 500
PER_SESSION = 100
PROMPTS = 4
RUNS = 15
SEED = 11
APPEND_MS, ANSWER_MS, LEARN_S = 0.2, 50.0, 2.0
LONG_SESSION = 2_000
SUBJECTS = "auth cart orders search billing reports uploads mail cache config".split()
VERBS = "fix speed rename test document split migrate log validate remove".split()
OPERATIONS = (Operation.READ, Operation.EDIT, Operation.READ, Operation.SEARCH)
TOOLS = {Operation.READ: "Read", Operation.EDIT: "Edit", Operation.SEARCH: "Grep"}


def made(lore: Lore, count: int, *, session: str = "", seed: int = SEED) -> Iterator[Event]:
    """Events of sessions, each with some prompts, edits, searches and commands."""
    dice, now = random.Random(seed), datetime.now(UTC)
    subject = SUBJECTS[0]
    for number in range(count):
        common = Event(
            id=new_id(),
            at=now - timedelta(seconds=12 * (count - number)),
            client="claude",
            moment=Moment.AFTER_TOOL,
            session_id=session or f"session-{number // PER_SESSION}",
            project_id=lore.project_id,
        )
        if number % (PER_SESSION // PROMPTS) == 0:
            subject = dice.choice(SUBJECTS)
            text = f"{dice.choice(VERBS)} the {subject} {dice.choice(SUBJECTS)} step {number}"
            yield replace(common, moment=Moment.PROMPT, text=text)
        elif number % 7 == 0:
            given = f'{{"command": "make {dice.choice(VERBS)}"}}'
            yield replace(
                common,
                tool="Bash",
                parameters=given,
                result="ok\n" * 100,
                success=dice.random() < 0.8,
                duration_ms=900,
            )
        else:
            operation = dice.choice(OPERATIONS)
            path = f"src/{subject}/{dice.choice(VERBS)}_{number % 9}.py"
            use = FileUse(path=path, operation=operation, lines=(1, 40), changed="+2 −1: total")
            yield replace(
                common,
                tool=TOOLS[operation],
                parameters=f'{{"file_path": "{path}"}}',
                result="line of code\n" * 40,
                success=dice.random() < 0.95,
                duration_ms=20,
                files=(use,),
            )


def appended(lore: Lore, fresh: Sequence[Event]) -> Times:
    """Append in batches, each a transaction of its own; the times are of one event."""
    times = Times("append one event, in batches")
    for start in range(0, len(fresh), BATCH):
        batch = fresh[start : start + BATCH]
        began, worked = time.perf_counter(), time.process_time()
        with lore.store.append() as conn:
            events.append(conn, batch)
        times.runs_ms.append((time.perf_counter() - began) * 1000 / len(batch))
        times.processor_ms.append((time.process_time() - worked) * 1000 / len(batch))
    return times


def read(lore: Lore, session: Session) -> float:
    """Cut a session that the log knows into tasks; the seconds it took."""
    with lore.store.append() as conn:
        sessions.upsert(conn, session)
    with lore.store.read() as conn:
        logged = events.of_session(conn, session.id, limit=100_000)
    began = time.perf_counter()
    keep_episodes(lore, session, turns_of_events(logged), is_over=True)
    return time.perf_counter() - began


def asked(lore: Lore) -> list[Times]:
    """Every question, warm."""
    verbs = lore.episodes
    questions: dict[str, Callable[[], object]] = {
        "have I worked on this file": partial(verbs.with_file, "src/auth/fix_1.py"),
        "… on one nobody touched": partial(verbs.with_file, "src/none.py"),
        "what did I last do with auth": partial(verbs.about, "auth"),
        "… with what there is not": partial(verbs.about, "zebra"),
        "which files change together": verbs.together,
        "success rate per tool": verbs.tool_rates,
        "what was I working on": verbs.tasks,
        "similar past tasks": partial(verbs.similar, "fix the billing mail step"),
        "what was done in a session": partial(verbs.session, "session-7"),
    }
    found = []
    for name, ask in questions.items():
        ask()
        times = Times(name)
        for _ in range(RUNS):
            times.run(ask)
        found.append(times)
    return found


def main() -> int:
    """Measure, print, write down; 1 where a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        project = Path(work, "project")
        project.mkdir()
        own = {"LOREMAP_HOME": f"{work}/home", "LOREMAP_CACHE": f"{work}/cache"}
        places = folders(own)
        with Lore(project, places=places, settings=settings.load(places.settings)) as lore:
            lore.use_embedder(None)
            lore.init()
            append = appended(lore, list(made(lore, given.events)))
            session = Session(
                id="", client="claude", created_at=datetime.now(UTC), project_id=lore.project_id
            )
            for number in range(given.events // PER_SESSION):
                read(lore, replace(session, id=f"session-{number}"))
            appended(lore, list(made(lore, LONG_SESSION, session="long", seed=SEED + 1)))
            took_s = read(lore, replace(session, id="long"))
            questions = asked(lore)
    bars = [
        Bar("append of one event in ms", append.median_ms, APPEND_MS),
        *(Bar(f"{each.name}, in ms", each.median_ms, ANSWER_MS) for each in questions),
        Bar(f"a session of {LONG_SESSION:,} cut into tasks, in s", took_s, LEARN_S),
    ]
    print(table(f"{given.events:,} events", [append, *questions], bars))
    print(f"  {written('episodes', summed([append, *questions], bars), folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
