"""What the brief would have spared recorded runs of an agent, before their first edit.

    python -m bench.sessions.replay --data FOLDER --trajectories GITDIR --repos FOLDER

FOLDER of `--data` holds `swebench-lite-dev.jsonl`; GITDIR is a clone of
AutoCodeRoverSG/auto-code-rover with commit 585d3e63, whose `results/swe-agent-results` hold what
SWE-agent (GPT-4) did with those issues; the FOLDER of `--repos` holds a clone of each repository,
as `OWNER+NAME/repo` or by its name. Nothing is written to them.

The tasks of a repository follow each other by the date of their issue. Of each repository up to
six are drawn, evenly over that time (`--most`). For each of them the repository is checked out as
it was, read as `lore init` reads it, and a session of Claude Code begins in it: what it is given at
its start and with its first prompt, the text of the issue, is the brief, and what that takes is its
cost. The clock stands at the date of the issue. The store holds what all earlier runs of that
repository taught, drawn or not, each read turn by turn as any session is (`sessions/finishing.py`);
nothing of the task itself, of later ones, or of the true fix is in it. A second store, which has
learned nothing, tells what the code alone is worth.

What a brief would have spared is counted by the rule in `loremap/sessions/replay/spared.py`, which
`lore replay` shares: a search that led to a file which the brief names by its path, and nothing
that looks into a file. Beside it stands what the same rule gives for a brief that names just the
files of the true fix. What came back from a call is counted once, though it stays in the context;
so is the brief. That the agent would have done the same otherwise is assumed, not known: these runs
are recordings. They were made with an agent that searches little: a share of its calls is all that
any brief can spare by this rule.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.sessions.trajectories import Task, Trajectories, tasks
from loremap.agent.replay.rehearsal import PastClock, Rehearsal, Told, patient
from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import Folders, folders
from loremap.memory import seeding
from loremap.memory.workspaces import Workspaces
from loremap.model.session import Session
from loremap.model.tokens import tokens
from loremap.model.turn import Turn
from loremap.sessions.finishing import finish
from loremap.sessions.replay.spared import Count, Said, Spared, counted, spared
from loremap.sessions.replay.steps import Way, paths_in, steps_of
from loremap.sessions.session_memory import read_by_rules
from loremap.storage import sessions

MOST = 6
CLAIM = 60.0
"""Percent fewer calls of tools, as the design this project started from claims."""
CLIENT = "claude"


@dataclass(frozen=True, slots=True)
class Briefed:
    """What a brief said, and what it would have spared."""

    tokens: int
    gold_named: bool
    memories: int
    spared: Count
    generously: Count

    @property
    def of_use(self) -> bool:
        """Whether it names a file of the fix, or would have spared a call."""
        return self.gold_named or bool(self.generously.calls)


@dataclass(frozen=True, slots=True)
class Row:
    """One task."""

    task: str
    repository: str
    earlier: int
    """Runs of the repository that were learned from before."""
    typed: bool
    """Whether the issue names a file of the fix by its path."""
    found: Count
    """The calls by which the run found its way."""
    searches: Count
    """Those of them that look for files."""
    ceiling: Count
    """What naming the files of the fix would have spared."""
    ceiling_generously: Count
    with_memory: Briefed
    without_memory: Briefed


@dataclass(slots=True)
class Past:
    """A repository as it was, and two memories of it: one learns from runs, one only reads code."""

    checkout: Path
    clock: PastClock
    learned: Workspaces[Lore]
    bare: Workspaces[Lore]
    earlier: int = 0
    faults: list[str] = field(default_factory=list)

    def go_to(self, task: Task) -> None:
        """Check the repository out as it was at a task, and read it."""
        self.clock.go_on(task.at)
        check_out(self.checkout, task.commit)
        for workspaces in (self.learned, self.bare):
            with workspaces.at(self.checkout) as lore:
                lore.init()
                lore.code.scan()
                lore.modules.refresh()
                seeding.keep(lore, seeding.found(lore).seeds, confirmed=False)
        with self.learned.at(self.checkout) as lore:
            lore.code.embed()  # both look at one graph

    def told(self, task: Task, turns: Sequence[Turn], workspaces: Workspaces[Lore]) -> list[Told]:
        """What a session is given at its start and with the issue."""
        with Rehearsal(workspaces, self.clock, self.checkout, failed=self._failed) as rehearsal:
            return rehearsal.told(turns[:1], client=CLIENT, session_id=f"asked-{task.name}")

    def learn(self, task: Task, turns: Sequence[Turn]) -> None:
        """Learn from the run of a task."""
        session = Session(
            id=f"run-{task.name}",
            client=CLIENT,
            created_at=task.at,
            last_at=turns[-1].at,
            ended_at=turns[-1].at,
        )
        with self.learned.at(self.checkout) as lore:
            session = replace(session, project_id=lore.project_id, folder=str(self.checkout))
            self.clock.go_on(turns[-1].at)
            with lore.store.append() as conn:
                sessions.upsert(conn, session)
            finish(lore, session, turns, read_by_rules, seq=0)
        self.earlier += 1

    def _failed(self, where: str, fault: BaseException) -> None:
        self.faults.append(f"{where}: {fault!r}")


@contextmanager
def past(clone: Path, first: Task, work: Path, *, words: bool) -> Iterator[Past]:
    """A throw-away checkout and two empty memories."""
    checkout = work / first.repository.partition("/")[2]
    _git(work, "clone", "-q", "--shared", "--no-checkout", str(clone), str(checkout))
    check_out(checkout, first.commit)
    clock = PastClock(first.at - timedelta(days=1))
    (work / "learned" / "graphs").mkdir(parents=True)
    (work / "bare").mkdir()
    (work / "bare" / "graphs").symlink_to(work / "learned" / "graphs")
    opened = []
    for home in ("learned", "bare"):
        workspaces = open_workspaces(Folders(home=work / home, cache=folders().cache), now=clock)
        settings = patient(workspaces.engine.settings)
        if words:
            settings = replace(settings, values={**settings.values, "embedding.provider": "none"})
        workspaces.engine.settings = settings
        opened.append(workspaces)
    try:
        yield Past(checkout, clock, opened[0], opened[1])
    finally:
        for workspaces in opened:
            workspaces.close()


def drawn(of_repository: Sequence[Task], most: int) -> set[str]:
    """The tasks that are measured, evenly over time, the last among them."""
    count = min(most, len(of_repository))
    return {of_repository[(at + 1) * len(of_repository) // count - 1].name for at in range(count)}


def measured(
    of_repository: Sequence[Task],
    runs: Trajectories,
    clone: Path,
    *,
    most: int,
    words: bool,
    tell: Callable[[str], None],
) -> Iterator[Row]:
    """The drawn tasks of a repository, each after all before it."""
    there = [(task, turns) for task in of_repository if (turns := runs.turns(task)) is not None]
    wanted = drawn([task for task, _ in there], most)
    with (
        tempfile.TemporaryDirectory(prefix="loremap-replay-") as work,
        past(clone, there[0][0], Path(work), words=words) as then,
    ):
        for task, turns in there:
            if task.name in wanted:
                tell(task.name)
                then.go_to(task)
                yield _row(task, turns, then)
            elif not then.earlier:
                then.go_to(task)
            then.learn(task, turns)
        for fault in then.faults:
            tell(f"FAILED {fault}")


def _row(task: Task, turns: Sequence[Turn], then: Past) -> Row:
    steps = steps_of(turns, lambda path: path)
    best = spared(steps, [Said(0, "\n".join(task.gold))], turns=turns)

    def briefed(told: Sequence[Told]) -> Briefed:
        text = "\n".join(one.text for one in told)
        of_brief: Spared = spared(steps, [Said(0, text)], turns=turns)
        return Briefed(
            tokens=tokens(text),
            gold_named=bool(paths_in(text, task.gold)),
            memories=len({id_ for one in told for id_ in one.memories}),
            spared=counted(of_brief.spared),
            generously=counted(of_brief.generously),
        )

    return Row(
        task=task.name,
        repository=task.repository,
        earlier=then.earlier,
        typed=bool(paths_in(task.text, task.gold)),
        found=counted(best.steps),
        searches=counted(step for step in best.steps if step.way is Way.LOOKS_FOR),
        ceiling=counted(best.spared),
        ceiling_generously=counted(best.generously),
        with_memory=briefed(then.told(task, turns, then.learned)),
        without_memory=briefed(then.told(task, turns, then.bare)),
    )


Figures = dict[str, float]


def figures(rows: Sequence[Row], how: str = "with_memory") -> Figures:
    """The figures of some tasks: with the brief of a store that has learned, or of the bare one."""
    found = sum((row.found for row in rows), Count())
    ceiling = sum((row.ceiling for row in rows), Count())
    ceiling_generously = sum((row.ceiling_generously for row in rows), Count())
    searches = sum((row.searches for row in rows), Count())
    briefs: list[Briefed] = [getattr(row, how) for row in rows]
    untyped = [one for one, row in zip(briefs, rows, strict=True) if not row.typed]
    strict = sum((one.spared for one in briefs), Count())
    generous = sum((one.generously for one in briefs), Count())
    cost = sum(one.tokens for one in briefs)
    return {
        "tasks": len(rows),
        "calls": found.calls,
        "searches among them": searches.calls,
        "calls spared": strict.calls,
        "calls spared, %": _percent(strict.calls, found.calls),
        "searches spared, %": _percent(strict.calls, searches.calls),
        "calls spared generously, %": _percent(generous.calls, found.calls),
        "calls spared if the fix were named, %": _percent(ceiling.calls, found.calls),
        "… generously, %": _percent(ceiling_generously.calls, found.calls),
        "tokens": found.tokens,
        "tokens spared": strict.tokens,
        "tokens of the briefs": cost,
        "tokens spared, %": _percent(strict.tokens, found.tokens),
        "tokens spared generously, %": _percent(generous.tokens, found.tokens),
        "tokens spared less the brief, %": _percent(strict.tokens - cost, found.tokens),
        "brief names a file of the fix, %": _percent(
            sum(one.gold_named for one in briefs), len(briefs)
        ),
        "… where the issue does not, %": _percent(
            sum(one.gold_named for one in untyped), len(untyped)
        ),
        "brief tells a memory, %": _percent(sum(one.memories > 0 for one in briefs), len(briefs)),
        "brief of no use, %": _percent(sum(not one.of_use for one in briefs), len(briefs)),
    }


def tables(rows: Sequence[Row]) -> dict[str, Figures]:
    """The figures of all tasks, with and without memories, and by repository."""
    by_repository = defaultdict[str, list[Row]](list)
    for row in rows:
        by_repository[row.repository].append(row)
    return {
        "all": figures(rows),
        "all, code alone": figures(rows, "without_memory"),
        **{name: figures(some) for name, some in sorted(by_repository.items())},
    }


def shown(rows: Sequence[Row]) -> None:
    """Print the tables."""
    found = tables(rows)
    table = Table("", *found)
    for name in found["all"]:
        table.add_row(name, *(f"{one[name]:g}" for one in found.values()))
    Console(width=240).print(table)
    share = found["all"]["calls spared, %"]
    Console().print(f"claimed: {CLAIM:g} % fewer calls; found: {share:g} %", markup=False)


def write(rows: Sequence[Row], results: Path, *, words: bool) -> None:
    """Write the figures and the tasks they are made of."""
    results.mkdir(parents=True, exist_ok=True)
    written = {
        "vectors": not words,
        "claim, %": CLAIM,
        "figures": tables(rows),
        "tasks": [asdict(row) for row in rows],
    }
    (results / "replay.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def check_out(folder: Path, commit: str) -> None:
    """Make a folder what a commit holds, and leave alone what is so already. A clone may lack a few
    large files of it."""
    _git(folder, "update-ref", "--no-deref", "HEAD", commit)
    _git(folder, "read-tree", commit)
    _git(folder, "update-index", "--refresh", "-q", check=False)
    for name in _git(folder, "diff-files", "--name-only", "-z").split("\0"):
        if name:
            (folder / name).unlink(missing_ok=True)
    _git(folder, "checkout-index", "--all", "--quiet", check=False)
    _git(folder, "clean", "-qfdx")


def _git(folder: Path, *arguments: str, check: bool = True) -> str:
    git = ["git", "-C", str(folder), *arguments]
    return subprocess.run(git, check=check, capture_output=True, text=True).stdout


def clone_of(repository: str, repos: Path) -> Path:
    """Where the clone of a repository lies."""
    name = repository.replace("/", "+")
    places: Mapping[str, Path] = {
        "fetched": repos / name / "repo",
        "bare": repos / f"{repository.partition('/')[2]}.git",
        "plain": repos / repository.partition("/")[2],
    }
    return next((path for path in places.values() if path.exists()), places["plain"])


def main() -> int:
    """Measure, print, write. There is no bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trajectories", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--most", type=int, default=MOST, help="tasks of each repository")
    parser.add_argument("--only", help="one repository, such as psf/requests")
    parser.add_argument("--words", action="store_true", help="without vectors")
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    given = parser.parse_args()
    assert shutil.which("git"), "git is needed"
    by_repository = defaultdict[str, list[Task]](list)
    for task in tasks(given.data / "swebench-lite-dev.jsonl"):
        if given.only in (None, task.repository):
            by_repository[task.repository].append(task)
    runs = Trajectories(given.trajectories)
    rows: list[Row] = []
    for name, some in sorted(by_repository.items(), key=lambda one: len(one[1])):
        for row in measured(
            some,
            runs,
            clone_of(name, given.repos),
            most=given.most,
            words=given.words,
            tell=lambda said: print(said, file=sys.stderr, flush=True),
        ):
            rows.append(row)
            write(rows, given.results, words=given.words)
    shown(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
