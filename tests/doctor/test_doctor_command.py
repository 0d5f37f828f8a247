"""`lore doctor` on a real home: with a real resident, a real hook process and a real store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select, update

import loremap
from loremap.agent import switches
from loremap.clients.connect import apply, plan
from loremap.interfaces.cli.doctor import doctor
from loremap.interfaces.cli.shell import Place
from loremap.interfaces.hooks import client
from loremap.interfaces.resident import reach
from loremap.model.outcome import Stored
from loremap.storage.canary import PREFIX
from loremap.storage.caught import caught, caught_since
from loremap.storage.sqlite import text_index
from loremap.storage.tables import metadata, projects

KEPT = {"audit", "erasures", "meta"}
"""They hold no content."""


@dataclass(frozen=True)
class Said:
    """What the doctor said."""

    code: int
    findings: list[dict[str, str]]

    def of(self, area: str) -> list[tuple[str, str]]:
        """The verdicts and the words on one area."""
        return [(one["verdict"], one["says"]) for one in self.findings if one["area"] == area]


class Patient:
    """A user with a project."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder

    def remember(self, text: str) -> None:
        with loremap.open(self.folder) as lore:
            assert isinstance(lore.remember(text), Stored)

    def doctor(self) -> Said:
        ran = CliRunner().invoke(doctor, ["--json"], obj=Place(self.folder, None, None))
        told: dict[str, Any] = json.loads(ran.stdout)
        assert told["well"] is (ran.exit_code == 0), ran
        return Said(ran.exit_code, told["findings"])

    def rows(self) -> dict[str, int]:
        """How many rows each table holds, but for those in which every write leaves a trace."""
        with loremap.open(self.folder) as lore, lore.store.read() as conn:
            return {
                table.name: conn.execute(select(func.count()).select_from(table)).scalar_one()
                for table in metadata.sorted_tables
                if table.name not in KEPT
            }

    def words(self) -> list[str]:
        """Every word in the index."""
        with loremap.open(self.folder) as lore, lore.store.read() as conn:
            return text_index.vocabulary(conn)


@pytest.fixture
def patient(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Patient]:
    """Somebody who works by words alone; a resident that was started is ended."""
    user, folder, nests = tmp_path / "user", tmp_path / "shop", tmp_path / "nests"
    for each in (user, folder, nests):
        each.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(nests))
    monkeypatch.setenv("HOME", str(user))
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "GEMINI_", "CODEX_", "COPILOT_", "XDG_", "LOREMAP_SESSION")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LOREMAP_IDLE_SECONDS", "60")
    home.mkdir(mode=0o700)
    settings = '[embedding]\nprovider = "none"\n[inject]\ndeadline_ms = 2000\n'  # it may be busy
    (home / "config.toml").write_text(settings)
    found = Patient(home, folder)
    found.remember("Deploys happen on Tuesdays")
    yield found
    reach.stop(home)


def test_all_is_well_and_the_canary_leaves_nothing(patient: Patient) -> None:
    before, words_before = patient.rows(), patient.words()
    began = time.monotonic()
    said = patient.doctor()
    took_s = time.monotonic() - began
    assert said.code == 0, [one for one in said.findings if one["verdict"] != "well"]
    ((verdict, words),) = said.of("canary")
    assert (verdict, "reached the hook of claude" in words) == ("well", True)
    assert "was started" in said.of("resident")[0][1]
    assert took_s < 60, "ten seconds where nothing else runs"
    resident = reach.status(patient.home)
    assert resident is not None
    assert not [folder for folder in resident.folders if PREFIX in folder], "its folder is gone"
    assert patient.rows() == before
    assert patient.words() == words_before
    assert not list((patient.home / "spool").glob("*.json"))
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    again = patient.doctor()
    assert again.of("resident")[0][1].startswith("runs")
    assert again.code == 0


def test_every_connected_client_is_proven_in_its_own_shape(patient: Patient) -> None:
    clients = ("claude", "codex", "gemini", "opencode", "copilot", "cline", "cursor", "vscode")
    for name in (*clients, "zed"):
        apply(plan(name, home=patient.home))
    said = patient.doctor()
    told = [words for verdict, words in said.of("canary") if verdict == "well"]
    assert [any(f"the hook of {name} in" in one for one in told) for name in clients] == [True] * 8
    assert len(told) == len(clients), "zed has no hooks"
    assert [said.of(name)[0][0] for name in (*clients, "zed")] == ["well"] * 9


def test_settings_that_lost_our_entries_are_broken(patient: Patient) -> None:
    changes = plan("claude", home=patient.home)
    apply(changes)
    settings = next(one.path for one in changes.changes if one.path.name == "settings.json")
    settings.write_text("{}")
    said = patient.doctor()
    assert said.code == 1
    assert said.of("claude")[0][0] == "broken"
    settings.write_text("{ not json")
    assert patient.doctor().of("claude")[0][0] == "broken"


def test_a_launcher_of_another_installation_is_renewed(patient: Patient) -> None:
    patient.doctor()
    reach.stop(patient.home)  # it renews the launcher too, in its own time
    launcher = next((patient.home / "bin").iterdir())
    whole = launcher.read_bytes()
    launcher.write_bytes(whole.replace(b"enter=", b"enter=/gone"))
    assert "was renewed" in patient.doctor().of("install")[0][1]
    assert launcher.read_bytes() == whole


def test_off_is_said_and_nothing_is_started(patient: Patient) -> None:
    switches.switch(patient.home, on=False)
    said = patient.doctor()
    assert said.code == 0
    assert said.of("switch")[0][0] == "odd"
    assert said.of("canary")[0][0] == "odd"
    assert reach.status(patient.home) is None


def test_a_damaged_store_is_broken_and_the_rest_is_still_told(patient: Patient) -> None:
    store = patient.home / "lore.db"
    content = bytearray(store.read_bytes())
    content[8192:16384] = b"\xff" * 8192
    store.write_bytes(content)
    said = patient.doctor()
    assert said.code == 1
    assert said.of("store")[0][0] == "broken"
    assert said.of("spool"), "what lies beside the store is looked at all the same"


def test_a_folder_open_to_others_is_broken(patient: Patient) -> None:
    patient.home.chmod(0o755)
    said = patient.doctor()
    assert (said.code, said.of("data")[0][0]) == (1, "broken")


def test_what_hooks_caught_is_found(patient: Patient) -> None:
    caught(patient.home, "answer claude Stop", KeyError("nothing of this is written"))
    found = patient.doctor()
    ((verdict, words),) = found.of("caught")
    assert (verdict, "KeyError in answer claude Stop (1×)" in words) == ("odd", True)
    assert "nothing of this" not in words
    (mend,) = [one["mend"] for one in found.findings if one["area"] == "caught"]
    shown = subprocess.run(
        (sys.executable, "-m", "loremap", *mend.split()[1:]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "KeyError in answer claude Stop" in shown.stdout, "what is advised shows it"


def test_hook_processes_and_the_resident_note_in_one_form(home: Path) -> None:
    home.mkdir()
    caught(home, "answer", KeyError("x"))
    client.caught(str(home), "hook", OSError("y"))
    found = caught_since(home, datetime.now(UTC) - timedelta(minutes=1))
    assert [one.fault for one in found] == ["KeyError", "OSError"]


def test_before_the_first_use_it_makes_nothing(home: Path, tmp_path: Path) -> None:
    said = Patient(home, tmp_path).doctor()
    assert (said.code, [one["mend"] for one in said.findings]) == (0, ["lore init"])
    assert not home.exists()


def test_a_canary_that_a_crash_left_is_swept(patient: Patient) -> None:
    nest = patient.folder.parent / f"{PREFIX}old"
    nest.mkdir()
    before = patient.rows()
    Patient(patient.home, nest).remember("Canary of another day")
    assert patient.rows() != before
    with loremap.open(nest) as lore, lore.store.append() as conn:
        conn.execute(update(projects).where(projects.c.name == nest.name).values(created_at=0))
    patient.doctor()
    assert patient.rows() == before


def test_a_person_reads_marks_and_what_mends(patient: Patient) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "loremap", "doctor"],
        cwd=patient.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "✓ canary" in ran.stdout
    assert "! agents" in ran.stdout
    assert "→ lore connect --all" in ran.stdout
    assert "Nothing is broken" in ran.stdout
