"""How quick recall is, as the resident says of itself and a person reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from resident_tools import wait_for

from loremap.agent.service_level import WINDOW, Health
from loremap.interfaces.cli.service import pace_of, service_status
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.core import RealCore
from loremap.interfaces.resident.life import this_state
from loremap.interfaces.resident.places import ensure_private_run, run_folder


def test_the_resident_says_how_quick_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    run = run_folder(home)
    ensure_private_run(run)
    core = RealCore(run)
    core.leave = lambda: None
    core.start()
    wait_for(lambda: core.is_ready, seconds=30)
    try:
        state = core.described(this_state())
        assert (state.retrievals, state.p95_ms) == (0, None)
        assert str(pace_of(state)) == "no prompt was answered yet"
        for _ in range(WINDOW):
            core.parts.session_agent.monitor.took(412.0)
        state = core.described(this_state())
    finally:
        core.close()
    assert (state.health, state.p95_ms, state.retrievals) == (Health.DEGRADED, 412.0, WINDOW)
    monkeypatch.setattr(reach, "status", lambda _: state)
    service_status.main([], standalone_mode=False)
    assert "p95 412 ms of the last 100, degraded" in capsys.readouterr().out
