"""Figures counted from a real store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from metrics_tools import BEGAN, Written, minute, without_memory

import loremap
from loremap.agent.metrics import measures
from loremap.agent.metrics.discovery import CostSource
from loremap.agent.metrics.meter import Meter
from loremap.agent.metrics.rules import Comparison, Measure, notice
from loremap.app.lore import Lore
from loremap.errors import BadInput, NotFound
from loremap.model.module import FoundMap, MapConfidence, Module
from loremap.model.outcome import Stored
from loremap.model.session import Tier
from loremap.storage import metrics, modules

FILE = "src/auth/tokens.py"


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project whose memory works by words alone."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    folder = tmp_path / "shop"
    (folder / "src" / "auth").mkdir(parents=True)
    (folder / FILE).write_text("def refresh(): ...\n")
    with loremap.open(folder, now=lambda: minute(600)) as found:
        found.init()
        yield found


@pytest.fixture
def memory_id(lore: Lore) -> str:
    """A memory that names a file."""
    outcome = lore.remember("Tokens are refreshed in one place", files=[FILE])
    assert isinstance(outcome, Stored)
    return outcome.memory.id


def figures(lore: Lore, session_id: str) -> measures.SessionFigures:
    with lore.store.read() as conn:
        found = measures.session_figures(conn, session_id)
    assert found is not None
    return found


def test_a_session_that_opened_what_memory_named(lore: Lore, memory_id: str) -> None:
    session = Written(lore, "s1").prompt("the login is slow")
    session.inject(memory_id, used=True).read(FILE, result="x" * 400).edit(FILE).end()
    found = figures(lore, "s1")
    assert found.saved_files == (FILE,)
    assert found.saved_tokens == 400
    assert found.cost.source is CostSource.DEFAULT
    assert (found.memories_injected, found.hits, found.injected_tokens) == (1, 1, 30)
    assert found.discovery_tokens == 100
    assert "about 400 tokens" in notice(found)
    assert "30 tokens injected" in notice(found)


@pytest.mark.parametrize(
    "search",
    [
        lambda session: session.grep(f"{FILE}:1: def refresh"),
        lambda session: session.run("grep -rn refresh .", f"./{FILE}:1: def refresh"),
        lambda session: session.grep("src/a.py\n…\nsrc/z.py"),
        lambda session: session.grep(""),
        lambda session: session.prompt("look into tokens.py"),
    ],
)
def test_who_else_named_it_takes_the_credit(
    lore: Lore, memory_id: str, search: Callable[[Written], Written]
) -> None:
    search(Written(lore, "s1").inject(memory_id)).read(FILE).end()
    assert figures(lore, "s1").saved_tokens == 0
    assert notice(figures(lore, "s1")) == ""


def test_a_file_read_through_the_shell_counts_as_opened(lore: Lore, memory_id: str) -> None:
    Written(lore, "s1").inject(memory_id).run(f"sed -n '1,9p' {FILE}").end()
    assert figures(lore, "s1").saved_files == (FILE,)


def test_a_warning_before_a_tool_finds_no_file(lore: Lore, memory_id: str) -> None:
    Written(lore, "s1").inject(memory_id, tier=Tier.TOOL).read(FILE).end()
    found = figures(lore, "s1")
    assert (found.saved_files, found.warnings, found.memories_injected) == ((), 1, 0)


def test_modules_name_their_core_files(lore: Lore) -> None:
    assert lore.project_id is not None
    module = Module(name="auth", core_files=(FILE, "src/auth/login.py"))
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        modules.write_found(tx, lore.project_id, FoundMap(modules=(module,)))
    Written(lore, "task").inject(None, why="module auth").read("src/auth/login.py").end()
    assert figures(lore, "task").saved_files == ("src/auth/login.py",)
    shown = Written(lore, "block", always_on=f"- auth: logging in ({FILE})")
    shown.inject(None, tier=Tier.ALWAYS, why="the map").read(FILE).read("src/auth/login.py").end()
    assert figures(lore, "block").saved_files == (FILE,)


def test_the_cost_is_measured_where_there_is_something_to_measure(
    lore: Lore, memory_id: str
) -> None:
    Written(lore, "s1").inject(memory_id).read(FILE).end()
    without_memory(lore, 5, held_out=False, tokens=600)
    assert figures(lore, "s1").cost.tokens == 300.0
    assert figures(lore, "s1").cost.source is CostSource.WITHOUT
    without_memory(lore, 5, held_out=True, tokens=500)
    assert figures(lore, "s1").cost.tokens == 250.0
    assert figures(lore, "s1").cost.source is CostSource.HOLD_OUT
    assert figures(lore, "s1").saved_tokens == 250


def test_a_held_out_session_saves_nothing(lore: Lore, memory_id: str) -> None:
    (id_,) = without_memory(lore, 1, held_out=True)
    assert figures(lore, id_).saved_tokens == 0
    assert figures(lore, id_).discovery_tokens == 600


def test_a_project_compares_with_and_without(lore: Lore, memory_id: str) -> None:
    assert lore.project_id is not None
    for number in range(5):
        Written(lore, f"with-{number}").inject(memory_id).read(FILE, result="x" * 800).end()
    without_memory(lore, 4, held_out=True)
    Written(lore, "talk").inject(memory_id).prompt("only talk").end()
    with lore.store.read() as conn:
        project = measures.project_figures(conn, lore.project_id, since=BEGAN)
        assert project.comparison == Comparison(200, 600, 5, 4)
        assert not project.comparison.tells
    without_memory(lore, 5, held_out=True)
    with lore.store.read() as conn:
        project = measures.project_figures(conn, lore.project_id, since=BEGAN)
        nobody = measures.project_figures(conn, lore.project_id, since=minute(60))
    assert project.comparison.tells
    assert (project.total_memories, len(project.sessions)) == (1, 11)
    assert nobody.sessions == ()


def test_coverage_is_the_share_of_modules_well_known(lore: Lore) -> None:
    assert lore.project_id is not None
    known = ("auth", "store", "mail", "web")
    found = FoundMap(modules=tuple(Module(name=name, core_files=(f"{name}.py",)) for name in known))
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        modules.write_found(tx, lore.project_id, found)
    for number in range(9):
        with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
            told = modules.touched(tx, lore.project_id, f"s{number}", ["auth.py"])
    assert {m.name for m in told.modules if m.confidence is MapConfidence.MAPPED} == {"auth"}
    with lore.store.read() as conn:
        project = measures.project_figures(conn, lore.project_id, since=BEGAN)
    assert (project.mapped, project.modules, project.coverage) == (1, 4, 0.25)


def test_a_session_is_found_by_the_start_of_its_id(lore: Lore) -> None:
    for id_ in ("abc-1", "abc-2", "xyz"):
        Written(lore, id_).prompt("hello").end()
    with lore.store.read() as conn:
        assert measures.session_starting(conn, "xy").session_id == "xyz"
        with pytest.raises(BadInput, match="2 sessions start"):
            measures.session_starting(conn, "abc")
        with pytest.raises(NotFound):
            measures.session_starting(conn, "%")


def test_the_meter_writes_in_batches_behind_those_who_wait(lore: Lore) -> None:
    meter = Meter(lore.store, now=lambda: minute(1), every_s=3600)
    for number in range(1, 101):
        meter.note(Measure.SEARCH, number)
    with meter.timed(Measure.WRITE, session_id="s1"):
        time.sleep(0.002)
    with lore.store.read() as conn:
        assert metrics.values(conn, Measure.SEARCH, since=BEGAN) == [], "nothing is written yet"
    assert meter.flush() == 101
    with lore.store.read() as conn:
        system = measures.system_figures(conn, since=BEGAN)
        later = measures.system_figures(conn, since=minute(2))
    search = system.latencies[Measure.SEARCH]
    assert (search.p50, search.p95, search.count) == (50.5, 95, 100)
    assert system.latencies[Measure.WRITE].p50 >= 2
    assert later.latencies == {}
    meter.note(Measure.ASKED, 1, session_id="s1")
    meter.close()
    with lore.store.read() as conn:
        assert metrics.count(conn, Measure.ASKED, session_id="s1") == 1


def test_the_meter_writes_by_itself_and_from_many_threads(lore: Lore) -> None:
    meter = Meter(lore.store, now=lambda: minute(1), every_s=0.05)
    threads = [
        threading.Thread(target=lambda: [meter.note("n", 1.0) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until = time.monotonic() + 10
    count = 0
    while count < 400 and time.monotonic() < until:
        time.sleep(0.02)
        with lore.store.read() as conn:
            count = len(metrics.values(conn, "n", since=BEGAN))
    assert count == 400
    meter.close()


def test_old_values_go(lore: Lore) -> None:
    with lore.store.append() as conn:
        metrics.note(conn, "n", 1.0, at=minute(0))
        metrics.note(conn, "n", 2.0, at=minute(10))
        assert metrics.prune(conn, before=minute(5)) == 1
        assert metrics.values(conn, "n", since=BEGAN - timedelta(days=1)) == [2.0]
