"""What the doctor makes of plain facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loremap.agent.service_level import Health, Pace
from loremap.app.doctor import (
    AgentFacts,
    CanaryFacts,
    Finding,
    FolderFacts,
    Launcher,
    ResidentFacts,
    StoreFacts,
    Verdict,
    broken,
    exit_code,
    judged_agents,
    judged_canary,
    judged_caught,
    judged_folder,
    judged_install,
    judged_model,
    judged_pace,
    judged_resident,
    judged_spool,
    judged_store,
    judged_switches,
    odd,
    well,
)
from loremap.model.state import ModelState
from loremap.storage.caught import Caught

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
WELL, ODD, BROKEN = Verdict.WELL, Verdict.ODD, Verdict.BROKEN
FOLDER = FolderFacts(
    path=Path("home"), open_to_others=False, is_ours=True, writable=True, free_bytes=9 << 30
)
STORE = StoreFacts(
    name="lore.db",
    size_bytes=1 << 20,
    encrypted=True,
    read_only=False,
    version=3,
    newest_version=3,
    checked=True,
    damaged=0,
    astray=0,
    memories=12,
    backups=3,
    newest_backup_at=NOW - timedelta(hours=5),
)
MODEL = ModelState(
    provider="local",
    name="mini",
    dim=384,
    leaves_machine=False,
    ready=True,
    trouble="",
    embedded=12,
    waiting=0,
    other_spaces={},
)
RESIDENT = ResidentFacts(
    pid=7,
    version="1.0",
    our_version="1.0",
    started_at=NOW - timedelta(hours=2),
    started_now=False,
    ready=True,
    model="mini",
    trouble="",
)
CLAUDE = AgentFacts(client="claude", title="Claude Code")


@pytest.mark.parametrize(
    ("facts", "verdict", "says"),
    [
        (FOLDER, WELL, "yours alone, 9.0 GB free"),
        (replace(FOLDER, open_to_others=True), BROKEN, "read by other users"),
        (replace(FOLDER, is_ours=False), BROKEN, "another user"),
        (replace(FOLDER, writable=False), BROKEN, "cannot be written"),
        (replace(FOLDER, free_bytes=1 << 20), BROKEN, "full"),
        (replace(FOLDER, free_bytes=100 << 20), ODD, "little room"),
    ],
)
def test_the_folder(facts: FolderFacts, verdict: Verdict, says: str) -> None:
    _is(judged_folder(facts), verdict, says)


@pytest.mark.parametrize(
    ("facts", "verdicts", "says"),
    [
        (STORE, [WELL, WELL], "12 memories, 1.0 MB, whole, encrypted"),
        (replace(STORE, encrypted=False), [WELL, WELL], "not encrypted"),
        (replace(STORE, checked=False), [WELL, WELL], "too large"),
        (replace(STORE, read_only=True), [BROKEN], "not written"),
        (replace(STORE, damaged=2), [BROKEN, WELL], "2 memories"),
        (replace(STORE, astray=2), [ODD, WELL], "written anew"),
        (replace(STORE, log_loss=(NOW, 3)), [BROKEN, WELL], "the last 3 changes"),
        (replace(STORE, log_loss=(NOW - timedelta(days=20), 3)), [WELL, WELL], "whole"),
        (replace(STORE, version=2), [BROKEN, WELL], "version 2"),
        (replace(STORE, on_server=True, backups=0), [WELL], "backups are the server's"),
        (replace(STORE, on_server=True, damaged=2), [BROKEN], "2 memories"),
        (replace(STORE, damaged=1, version=2), [BROKEN, BROKEN, WELL], "1 memories"),
        (replace(STORE, newest_backup_at=None), [WELL, ODD], "12 memories"),
        (replace(STORE, newest_backup_at=NOW - timedelta(days=4)), [WELL, ODD], "12 memories"),
        (replace(STORE, newest_backup_at=None, memories=0), [WELL, WELL], "0 memories"),
    ],
)
def test_the_store(facts: StoreFacts, verdicts: list[Verdict], says: str) -> None:
    found = judged_store(facts, now=NOW)
    assert [one.verdict for one in found] == verdicts
    assert says in found[0].says
    assert all(one.mend for one in found if one.verdict is not WELL)


@pytest.mark.parametrize(
    ("state", "tampered", "verdict", "says"),
    [
        (MODEL, "", WELL, "mini, 12 embedded"),
        (MODEL, "the weights are not the pinned ones", BROKEN, "pinned"),
        (replace(MODEL, provider="none", name=None, ready=False), "", WELL, "words answer alone"),
        (replace(MODEL, ready=False, trouble="it is down"), "", ODD, "it is down"),
        (replace(MODEL, waiting=3), "", ODD, "3 memories wait"),
        (replace(MODEL, leaves_machine=True), "", WELL, "leave this machine"),
    ],
)
def test_the_model(state: ModelState, tampered: str, verdict: Verdict, says: str) -> None:
    _is(judged_model(state, tampered=tampered), verdict, says)


@pytest.mark.parametrize(
    ("facts", "verdict", "says"),
    [
        (RESIDENT, WELL, "runs since 2 h; process 7"),
        (replace(RESIDENT, started_now=True), WELL, "was started"),
        (replace(RESIDENT, ready=False, trouble="the key is gone"), BROKEN, "the key is gone"),
        (replace(RESIDENT, version="0.9"), BROKEN, "0.9 runs, 1.0 is installed"),
        (None, BROKEN, "nobody answers"),
    ],
)
def test_the_resident(facts: ResidentFacts | None, verdict: Verdict, says: str) -> None:
    _is(judged_resident(facts, trouble="nobody answers", now=NOW), verdict, says)


@pytest.mark.parametrize(
    ("facts", "verdicts", "mend"),
    [
        ([], [ODD], "lore connect --all"),
        ([CLAUDE], [WELL], ""),
        ([replace(CLAUDE, plugin=True)], [WELL], ""),
        ([replace(CLAUDE, gone=True)], [BROKEN], "lore connect claude"),
        ([replace(CLAUDE, outdated=2)], [ODD], "lore connect claude"),
        (
            [replace(CLAUDE, gone=True, project=Path("p"))],
            [BROKEN],
            "lore connect claude --project",
        ),
        ([replace(CLAUDE, refused="settings.json, line 3: …")], [BROKEN], "lore connect claude"),
        ([replace(CLAUDE, remarks=("Hooks are off by policy.",))], [WELL, ODD], ""),
    ],
)
def test_the_agents(facts: list[AgentFacts], verdicts: list[Verdict], mend: str) -> None:
    found = judged_agents(facts)
    assert [one.verdict for one in found] == verdicts
    assert found[0].mend == mend


def test_what_hooks_caught_is_counted_and_the_last_is_placed() -> None:
    assert judged_caught([], now=NOW).verdict is WELL
    caught = [
        Caught(NOW - timedelta(days=2), "hook", "OSError"),
        Caught(NOW - timedelta(hours=3), "answer", "KeyError"),
        Caught(NOW - timedelta(minutes=4), "answer", "KeyError", ("a.py:1 f", "b.py:2 g")),
    ]
    found = judged_caught(caught, now=NOW)
    _is(found, ODD, "3 in 7 days, the last 4 min ago at b.py:2 g")
    assert "KeyError in answer (2×), OSError in hook (1×)" in found.says


@pytest.mark.parametrize(
    ("waiting", "oldest", "verdict"),
    [
        (0, None, WELL),
        (5, timedelta(seconds=30), WELL),
        (5, timedelta(hours=2), ODD),
    ],
)
def test_the_spool(waiting: int, oldest: timedelta | None, verdict: Verdict) -> None:
    assert judged_spool(waiting, oldest=oldest).verdict is verdict


def test_switches_canary_and_install() -> None:
    assert [one.mend for one in judged_switches(off=True)] == ["lore on"]
    assert [one.mend for one in judged_switches(off=False, project_off="shop")] == [
        "lore on --project"
    ]
    assert [one.verdict for one in judged_switches(off=False)] == [WELL]
    heard = CanaryFacts(client="codex", arrived=True, took_ms=41.4)
    for connected in (True, False):
        _is(judged_canary(heard, connected=connected), WELL, "in 41 ms")
    missed = CanaryFacts(client="codex", arrived=False, trouble="the hook said nothing")
    _is(judged_canary(missed, connected=True), BROKEN, "codex: the hook said nothing")
    _is(judged_canary(missed, connected=False), ODD, "no agent is connected yet")
    for how in Launcher:
        found = judged_install(version="1", python="3.11", launcher=how, path=Path("lore-agent"))
        assert found.verdict is WELL


def test_only_what_is_broken_is_an_error() -> None:
    assert exit_code([]) == 0
    assert exit_code([well("a", ""), odd("b", "")]) == 0
    assert exit_code([well("a", ""), broken("b", ""), odd("c", "")]) == 1


def _is(finding: Finding, verdict: Verdict, says: str) -> None:
    assert (finding.verdict, says in finding.says) == (verdict, True), finding
    assert verdict is not BROKEN or finding.mend, "what is broken says what mends it"


@pytest.mark.parametrize(
    ("pace", "verdict", "says"),
    [
        (Pace(), WELL, "no prompt was answered yet"),
        (Pace(p95_ms=80.4, count=3), WELL, "p95 80 ms of the last 3, too few to say more"),
        (
            Pace(health=Health.HEALTHY, p95_ms=80.4, count=100),
            WELL,
            "p95 80 ms of the last 100, healthy",
        ),
        (
            Pace(health=Health.DEGRADED, p95_ms=412.0, count=100),
            ODD,
            "p95 412 ms of the last 100, degraded: looks at less until it is below 200 ms",
        ),
    ],
)
def test_how_quick_recall_is(pace: Pace, verdict: Verdict, says: str) -> None:
    found = judged_pace(pace)
    assert (found.verdict, found.says) == (verdict, says)
    assert bool(found.mend) is (verdict is ODD)
