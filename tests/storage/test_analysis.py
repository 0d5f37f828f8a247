"""The log in DuckDB: what its tables hold, from either database, and that it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert
from store_tools import NOW, store_at

from loremap.errors import BadInput
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.finding import Finding, KeptFinding
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.kind import Kind
from loremap.model.pattern import PatternType, Sighting
from loremap.model.session import Session
from loremap.model.snapshot import ContextItem, Snapshot, SnapshotReason
from loremap.model.task import Task, TaskStatus
from loremap.model.turn import Speaker
from loremap.storage import events, findings, pattern_sightings, sessions, snapshots, tasks
from loremap.storage.analysis import asked as analysis_asked
from loremap.storage.analysis.asked import Analysis, analysis
from loremap.storage.analysis.rows import learning_type
from loremap.storage.options import Key
from loremap.storage.store import Store
from loremap.storage.tables import projects


def fill(store: Store) -> None:
    """A session with a call, a task, a snapshot and a finding."""
    use = FileUse(path="a.py", operation=Operation.EDIT, lines=(3, 9), changed="+1")
    call = Event(
        id=new_id(),
        at=NOW,
        client="claude",
        moment=Moment.AFTER_TOOL,
        session_id="s",
        tool="Edit",
        parameters='{"file_path": "a.py"}',
        result="done",
        success=True,
        duration_ms=7,
        why="because",
        files=(use,),
    )
    task = Task(
        id="t" * 32,
        session_id="s",
        description="fix it",
        status=TaskStatus.ACTIVE,
        started_at=NOW,
        files_touched=("a.py",),
        tools_used={"Edit": 1},
    )
    finding = Finding(
        kind=Kind.GOTCHA, content="It bites.", quote="", said_by=Speaker.TOOL, first=0, last=1,
        confidence=0.5,
    )  # fmt: skip
    with store.append() as conn:
        sessions.upsert(conn, Session(id="s", client="claude", created_at=NOW))
        events.append(conn, [call])
        (stop,) = tasks.stops(conn, "s")
        tasks.put(conn, "s", [task], NOW)
        tasks.link(conn, {stop[0]: task.id})
        held = ContextItem("m", "task", 40, 0.5)
        seen = Snapshot(
            event_seq=stop[0], at=NOW, session_id="s", task_id=task.id, items=(held,),
            total_tokens=900, pruned=(), reason=SnapshotReason.TASK_SWITCH,
        )  # fmt: skip
        snapshots.put(conn, [seen])
        findings.put(
            conn, "s", [KeptFinding(session_id="s", finding=finding, fingerprint="f")], NOW
        )


def asked(store: Store) -> Iterator[Analysis]:
    fill(store)
    with store.read() as conn, analysis(conn, None, everywhere=False) as log:
        yield log


@pytest.fixture
def log(store: Store) -> Iterator[Analysis]:
    """The log of a filled store."""
    yield from asked(store)


SCHEMA = {
    "tool_executions": "id timestamp session_id task_id tool_name parameters result success "
    "error_message duration_ms context_tokens",
    "file_interactions": "id timestamp session_id task_id file_path operation line_range success "
    "context changes_summary",
    "task_history": "id task_id session_id description intent status started_at completed_at "
    "files_touched tools_used outcome",
    "context_snapshots": "id timestamp session_id task_id context_items total_tokens pruned_items "
    "reason",
    "learned_patterns": "id pattern_type pattern_data confidence observed_count first_seen "
    "last_seen",
    "session_learnings": "id session_id learning_type data confidence",
}
"""The columns of seed-001's schema."""


def test_the_tables_are_those_of_the_schema_and_hold_what_is_stored(log: Analysis) -> None:
    assert set(log.tables) == set(SCHEMA)
    for name, columns in SCHEMA.items():
        assert log.table(name).columns[: len(columns.split())] == tuple(columns.split()), name
    at = NOW.replace(tzinfo=None)
    (call,) = log.sql("SELECT timestamp, tool_name, success FROM tool_executions").rows
    assert call == (at, "Edit", True)
    (use,) = log.sql("SELECT file_path, line_range->>'end', task_id FROM file_interactions").rows
    assert use == ("a.py", "9", "t" * 32)
    (task,) = log.sql("SELECT task_id, completed_at, files_touched->>0 FROM task_history").rows
    assert task == ("t" * 32, None, "a.py")
    (seen,) = log.sql("SELECT reason, context_items->0->>'tokens' FROM context_snapshots").rows
    assert seen == ("task_switch", "40")
    (taught,) = log.sql("SELECT learning_type, data->>'content' FROM session_learnings").rows
    assert taught == ("common_error", "It bites.")


QUESTIONS = """\
SELECT * FROM file_interactions WHERE file_path = 'a.py' ORDER BY timestamp DESC LIMIT 5;
SELECT f1.file_path AS file1, f2.file_path AS file2, COUNT(*) AS co_edit_count
FROM file_interactions f1 JOIN file_interactions f2 ON f1.task_id = f2.task_id
AND f1.file_path < f2.file_path AND f2.timestamp - f1.timestamp < INTERVAL '5 minutes'
WHERE f1.operation = 'edit' AND f2.operation = 'edit' GROUP BY f1.file_path, f2.file_path
HAVING COUNT(*) >= 3 ORDER BY co_edit_count DESC;
SELECT * FROM file_interactions WHERE file_path LIKE '%auth%' ORDER BY timestamp DESC LIMIT 10;
SELECT tool_name, COUNT(*) AS total, SUM(CASE WHEN success THEN 1 ELSE 0 END) AS successes,
AVG(duration_ms) AS avg_duration FROM tool_executions
WHERE timestamp > NOW() - INTERVAL '7 days' GROUP BY tool_name;
SELECT * FROM task_history WHERE status = 'paused' OR status = 'active' ORDER BY started_at DESC
"""


def test_the_questions_of_the_design_run_as_they_are_written(log: Analysis) -> None:
    counts = [len(log.sql(query).rows) for query in QUESTIONS.split(";")]
    assert counts == [1, 0, 0, 0, 1]


def test_an_answer_is_also_an_arrow_table_and_a_dataframe(log: Analysis) -> None:
    answer = log.sql("SELECT tool_name, duration_ms FROM tool_executions")
    assert answer.arrow().to_pylist() == [{"tool_name": "Edit", "duration_ms": 7}]
    assert answer.df()["duration_ms"].tolist() == [7]
    assert log.sql("CREATE TABLE own (a INTEGER)").rows == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY tool_executions TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET threads = 64",
        "SELECT * FROM fill",
        "SELECT",
    ],
)
@pytest.mark.sqlite
def test_nothing_is_read_or_written_outside_of_it(
    log: Analysis, tmp_path: Path, query: str
) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BadInput, match="DuckDB does not take that"):
        _ = log.sql(query.format(file=file, folder=tmp_path)).rows
    assert sorted(tmp_path.iterdir()) == before


ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range = 7"


@pytest.mark.sqlite
@pytest.mark.parametrize("query", [ENDLESS, f"CREATE TABLE own AS {ENDLESS}"])
def test_a_question_without_end_is_given_up(
    log: Analysis, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(analysis_asked, "MAX_SECONDS", 0.1)
    with pytest.raises(BadInput, match="takes longer than"):
        _ = log.sql(query).rows
    assert log.sql("SELECT 1").rows == [(1,)]


@pytest.mark.sqlite
def test_what_json_and_parquet_do_not_know(log: Analysis, tmp_path: Path) -> None:
    answer = log.sql("SELECT 'inf'::DOUBLE AS a, [0.5, 'nan'::DOUBLE] AS b")
    assert answer.in_json == [[None, [0.5, None]]]
    path = tmp_path / "answer.json"
    path.write_text("of before")
    path.chmod(0o644)
    answer.write(path)
    assert (path.read_text(), path.stat().st_mode & 0o777) == (
        '{"a": null, "b": [0.5, null]}\n',
        0o600,
    )
    with pytest.raises(BadInput, match="nothing was written"):
        log.sql("SELECT INTERVAL 1 DAY AS a").write(tmp_path / "answer.parquet")
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith((".", "ans"))] == [
        "answer.json"
    ]


@pytest.mark.sqlite
def test_an_encrypted_store_is_asked_alike(tmp_path: Path) -> None:
    store = store_at(tmp_path, key=Key("5a" * 32, "a5" * 16))
    for log in asked(store):
        assert log.sql("SELECT count(*) FROM file_interactions").rows == [(1,)]
    store.close()


SHOWN = {
    PatternType.CO_EDIT: ("co-edit", "workflow"),
    PatternType.ERROR_FIX: ("error-fix", "common_error"),
    PatternType.REFACTOR: ("refactor", "workflow"),
    PatternType.REPEATED_SEARCH: ("repeated-search", "file_purpose"),
    PatternType.READ_AND_ABANDON: ("read-and-abandon", "workflow"),
    PatternType.BACKTRACK: ("backtrack", "common_error"),
    PatternType.FAILED_EDIT: ("failed-edit", "common_error"),
}


def test_patterns_have_the_names_of_the_schema_and_are_learnings_too(store: Store) -> None:
    shown = [
        Sighting(
            type=type_,
            about=("a.py", type_.value),
            data={"files": ["a.py"]} | ({"found": "a.py"} if "search" in type_ else {}),
            last=NOW,
        )
        for type_ in PatternType
    ]
    with store.append() as conn:
        sessions.upsert(conn, Session(id="s", client="claude", created_at=NOW))
        row = {"id": "p", "name": "p", "created_at": 0, "updated_at": 0}
        conn.execute(insert(projects), [row])
        pattern_sightings.put(conn, "p", "s", shown, client="claude", now=NOW)
    with store.read() as conn, analysis(conn, "p", everywhere=False) as log:
        patterns = log.sql(
            "SELECT pattern_type, pattern_data->'files'->>0, observed_count, last_seen "
            "FROM learned_patterns"
        ).rows
        learnings = log.sql(
            "SELECT data->>'pattern', learning_type FROM session_learnings WHERE confidence > 0"
        ).rows
        (sessions_of,) = log.sql("SELECT DISTINCT session_id FROM session_learnings").rows
    assert sessions_of == ("s",)
    at = NOW.replace(tzinfo=None)
    assert sorted(patterns) == sorted((name, "a.py", 1, at) for name, _ in SHOWN.values())
    assert sorted(learnings) == sorted(SHOWN.values())


@pytest.mark.parametrize(
    ("kind", "files", "expected"),
    [
        (Kind.ERROR_PATTERN, ["a.py"], "common_error"),
        (Kind.ARCHITECTURE, ["a.py"], "file_purpose"),
        (Kind.ARCHITECTURE, [], "workflow"),
        (Kind.CONVENTION, ["a.py"], "workflow"),
    ],
)
def test_what_kind_of_learning_a_finding_is(kind: Kind, files: list[str], expected: str) -> None:
    assert learning_type(kind.value, files) == expected
