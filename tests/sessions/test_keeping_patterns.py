"""What a session shows is kept when it is over, where sessions are learned from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from session_tools import Transcript, memory_of, unread

from loremap.app import Lore
from loremap.model.pattern import Pattern, PatternType
from loremap.storage import patterns

ERROR = "ModuleNotFoundError: No module named 'billing.rates'"
TEST = "pytest tests/test_billing.py"


def finish(lore: Lore, transcript: Transcript, **more: object) -> None:
    transcript.row(ended=True, **more)
    for one in unread(lore):
        memory_of(lore).take_up(one)


def kept(lore: Lore, type_: PatternType) -> Sequence[Pattern]:
    assert lore.project_id is not None
    with lore.store.read() as conn:
        return patterns.of_project(conn, lore.project_id, type_=type_)


def work(lore: Lore, transcript: Transcript, *, edited: str = "src/rates.py") -> None:
    """An error is met and mended, in two files."""
    transcript.typed("The invoices are wrong since the rates were moved, look into it please.")
    transcript.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
    transcript.edited(str(lore.folder / edited), new="import billing")
    transcript.edited(str(lore.folder / "pyproject.toml"), new='packages = ["billing"]')
    transcript.ran(TEST, output="3 passed")


def test_a_session_that_is_over_leaves_its_patterns_once(
    lore: Lore, transcript: Transcript
) -> None:
    work(lore, transcript)
    finish(lore, transcript)
    (fix,) = kept(lore, PatternType.ERROR_FIX)
    assert fix.data["files"] == ["src/rates.py", "pyproject.toml"]
    assert fix.data["fix"] == '`packages = ["billing"]` in pyproject.toml'
    (pair,) = kept(lore, PatternType.CO_EDIT)
    assert pair.data["files"] == ["pyproject.toml", "src/rates.py"]
    transcript.said("Done.")
    finish(lore, transcript)
    assert [one.observed for one in kept(lore, PatternType.ERROR_FIX)] == [1]
    assert fix.first_seen >= lore.now().replace(hour=0)


def test_what_sessions_show_is_there_in_sql(lore: Lore, transcript: Transcript) -> None:
    work(lore, transcript)
    finish(lore, transcript)
    with lore.episodes.analysis() as log:
        shown = log.sql("SELECT pattern_type, pattern_data->>'fix' FROM learned_patterns").rows
        learned = log.sql("SELECT learning_type, data->>'pattern' FROM session_learnings").rows
    fix = '`packages = ["billing"]` in pyproject.toml'
    assert set(shown) == {("co-edit", None), ("error-fix", fix)}
    assert {("workflow", "co-edit"), ("common_error", "error-fix")} <= set(learned)


def test_a_session_that_goes_on_leaves_none_yet(lore: Lore, transcript: Transcript) -> None:
    transcript.row()
    work(lore, transcript)
    for number in range(10):
        transcript.ran(f"make part{number}")
    (one,) = unread(lore)
    assert memory_of(lore).take_up(one) is not None
    assert not kept(lore, PatternType.CO_EDIT)


def test_what_was_taken_back_shows_nothing(lore: Lore, transcript: Transcript) -> None:
    transcript.typed("Hello there.")
    transcript.typed("Mend the bill of the café.")
    work(lore, transcript)
    transcript.typed_instead("Leave all as it is.", of="Mend the bill of the café.")
    finish(lore, transcript)
    assert not kept(lore, PatternType.CO_EDIT) + kept(lore, PatternType.ERROR_FIX)


def test_where_nothing_is_learned_no_pattern_is(lore: Lore, transcript: Transcript) -> None:
    memory_of(lore).switch_project(on=False)
    work(lore, transcript)
    finish(lore, transcript)
    assert not kept(lore, PatternType.CO_EDIT)


def test_another_fix_speaks_against_the_first(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    work(lore, transcript)
    finish(lore, transcript)
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.typed("The invoices fail again in the nightly job, please mend that.")
    other.ran(TEST, output=ERROR, fails=True)
    other.edited(str(lore.folder / "setup.cfg"), new="[options]")
    other.ran(TEST, output="3 passed")
    finish(lore, other)
    (fix,) = kept(lore, PatternType.ERROR_FIX)
    assert (fix.observed, fix.against, fix.sessions) == (2, 1, 2)
    assert fix.data["files"] == ["setup.cfg"]  # what mended it last
    finish(lore, other)
    assert kept(lore, PatternType.ERROR_FIX) == [fix]


def test_a_fork_shows_nothing_of_its_parent(lore: Lore, transcript: Transcript) -> None:
    work(lore, transcript)
    finish(lore, transcript)
    fork = Transcript(lore, transcript.path.with_name("fork.jsonl"), "fork")
    fork.path.write_bytes(transcript.path.read_bytes())
    began = lore.now()
    fork.edited(str(lore.folder / "src/other.py"), new="x = 1")
    finish(lore, fork, parent_id="s1", created_at=began)
    assert [one.sessions for one in kept(lore, PatternType.CO_EDIT)] == [1]


def test_no_secret_and_no_file_elsewhere_is_kept(lore: Lore, transcript: Transcript) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    transcript.typed("Rotate the key of the billing bucket, here and in the deployment.")
    transcript.edited("/etc/aws.conf", new=f"key = {key}", ok=False, output=f"no match for {key}")
    transcript.edited(str(lore.folder / "aws.py"), new="x", ok=False, output=f"no match for {key}")
    finish(lore, transcript)
    (one,) = kept(lore, PatternType.FAILED_EDIT)
    assert one.data["file"] == "aws.py"
    assert key not in str(one.data)


@pytest.mark.parametrize("forgotten", [True, False])
def test_a_pattern_that_was_forgotten_stays_so(
    lore: Lore, transcript: Transcript, forgotten: bool
) -> None:
    work(lore, transcript)
    finish(lore, transcript)
    (pair,) = kept(lore, PatternType.CO_EDIT)
    if forgotten:
        with lore.store.append() as conn:
            patterns.forget(conn, [pair.id], lore.now())
    transcript.said("Done.")
    finish(lore, transcript)
    assert bool(kept(lore, PatternType.CO_EDIT)) is not forgotten
