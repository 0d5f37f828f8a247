"""How long learning from a long session takes, all the way from a transcript on disk to memories.

    python -m bench.sessions.learning_speed [--messages N] [--most SECONDS] [--results FOLDER]

Sessions of Claude Code are written as it writes them, each of other sentences: a fifth of the
messages a person's, at most fifty of which teach something; the others the agent's, and calls with
what came of them. The project has 500 memories, and each session is learned from as one that is
over: read, kept as tasks, findings and patterns, and what it taught admitted with the local model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from bench.sessions.learning_data import Json
from bench.sessions.learning_transcripts import written as write_transcript
from bench.sessions.results import add_option
from bench.speed.sentences import Writer
from bench.speed.stores import ready_embedder, store_of
from bench.speed.timing import Bar, Times, summed, table, written
from loremap.app import Lore
from loremap.model.session import Session
from loremap.sessions.finishing import Learned
from loremap.storage import sessions

MAX_SECONDS = 2.0
RUNS, KNOWN, TAUGHT = 5, 500, 50
PER_PROMPT = 5
"""A prompt, an answer, and three calls."""
PROSE_EVERY, FAILS_EVERY = 40, 15
OUTPUT_LINES = 60


def measured(lore: Lore, messages: int) -> tuple[Times, list[Learned]]:
    """Each session learned from once."""
    times, learned = Times(f"{messages:,} messages"), list[Learned]()
    for run in range(RUNS):
        session = _put(lore, f"long-{run}", messages, seed=run)
        learned.append(times.run(partial(lore.sessions.learn, session)))
    return times, learned


def _put(lore: Lore, id_: str, messages: int, *, seed: int) -> str:
    """Write a session's transcript and its row, as its client and the memory agent do."""
    path, now = lore.folder / f"{id_}.jsonl", datetime.now(UTC)
    turns = list(islice(_turns(Writer(seed), messages, now - timedelta(hours=9)), messages))
    client = write_transcript({"client": "claude-code", "turns": turns}, path)
    row = Session(
        id=id_,
        client=client,
        created_at=now - timedelta(hours=9),
        project_id=lore.project_id,
        transcript=str(path),
        folder=str(lore.folder),
        last_at=now,
        ended_at=now,
    )
    with lore.store.append() as conn:
        sessions.upsert(conn, row)
    return id_


def _turns(writer: Writer, messages: int, began: datetime) -> Iterator[Json]:
    """Prompts, each with what was answered and done; some of them teach something."""
    said = writer.sentences()
    teaches_every = max(messages // PER_PROMPT // TAUGHT, 1)
    for number, place in enumerate(cycle(range(PER_PROMPT))):
        prompt = number // PER_PROMPT
        at = {"at": (began + timedelta(seconds=12 * number)).isoformat()}
        if place == 0:
            teaches = prompt % teaches_every == 0
            text = f"No, from now on: {next(said)}" if teaches else f"Now open {writer.path()}."
            yield {"role": "user", "text": text, **at}
        elif place == 1:
            yield {"role": "assistant", "text": " ".join(islice(said, 4)), **at}
        else:
            yield {"role": "tool", **_call(writer, said, prompt, place), **at}


def _call(writer: Writer, said: Iterator[str], prompt: int, place: int) -> Json:
    output, path = "\n".join(islice(said, OUTPUT_LINES)), writer.path()
    if place == 2:
        file = "docs/notes.md" if prompt % PROSE_EVERY == 0 else path
        return {"tool": "Read", "file": file, "output": output}
    if place == 3:
        return {"tool": "Edit", "file": path, "input": next(said), "output": "done"}
    fails = prompt % FAILS_EVERY == 0
    output += "\nError: the reservation was lost" * fails
    return {"tool": "Bash", "input": "make test", "output": output, "exit_code": int(fails)}


def main() -> int:
    """Measure, print, write down; 1 where it takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--most", type=float, default=MAX_SECONDS, help="seconds it may take")
    add_option(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, store_of(KNOWN, work=Path(work)) as lore:
        ready_embedder(lore)
        times, learned = measured(lore, given.messages)
    fewest = min(len(one.outcomes) for one in learned)
    if not fewest:
        raise RuntimeError("A session taught nothing, so nothing was measured.")
    bars = [Bar(f"{given.messages:,} messages, in s", times.median_ms / 1000, given.most)]
    print(table(f"{RUNS} sessions, each taught {fewest} things or more", [times], bars))
    figures = summed([times], bars) | {"taught_at_least": fewest}
    print(f"  {written('learning', figures, folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
