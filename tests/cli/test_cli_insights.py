"""`insights` and `sql`, as a person asks for them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_tools import Cli
from pyarrow import parquet


def test_insights_in_figures_and_bars(worked: Cli) -> None:
    found = worked.data("insights")
    assert sum(found["calls_per_day"].values()) == 7
    assert found["tools"][0] == {
        "tool": "Edit",
        "calls": 6,
        "succeeded": 6,
        "failed": 0,
        "success_rate": 1.0,
        "mean_ms": None,
    }
    assert found["files_changed"] == {"auth.py": 3, "store.py": 3}
    assert found["tasks_by_status"] == {"completed": 1}
    said = worked("insights").out
    assert "█" * 32 in said
    assert "100%" in said
    assert "auth.py + store.py  3 times in 1 task" in said


def test_nothing_was_recorded(cli: Cli) -> None:
    assert "Nothing was recorded here in the last 7 days." in cli("insights", "--days", "7").out


def test_insights_as_a_picture(worked: Cli, tmp_path: Path) -> None:
    path = tmp_path / "work.png"
    assert worked.data("insights", "--png", str(path))["png"] == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_log_in_sql(worked: Cli) -> None:
    query = "SELECT file_path, count(*) AS n FROM file_interactions GROUP BY ALL ORDER BY 1"
    assert worked.data("sql", query) == {
        "columns": ["file_path", "n"],
        "rows": [["auth.py", 3], ["store.py", 3]],
    }
    assert "auth.py" in worked("sql", query).out
    assert worked.data("sql", query, "-n", "1")["rows"] == [["auth.py", 3]]
    tasks = "SELECT status, tools_used->>'Edit' FROM task_history"
    assert worked.data("sql", tasks)["rows"] == [["completed", "6"]]
    assert worked("sql", "SELECT 1 FROM nothing").code == 2
    assert worked("sql").code == 2


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_an_answer_is_written_where_only_its_owner_reads_it(
    worked: Cli, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"answer.{kind}"
    query = "SELECT status, started_at FROM task_history"
    assert worked.data("sql", query, "--out", str(path)) == {"written": {str(path): 1}}
    assert path.stat().st_mode & 0o777 == 0o600
    if kind == "parquet":
        assert parquet.read_table(path).column("status").to_pylist() == ["completed"]
    elif kind == "csv":
        assert path.read_text().splitlines()[0] == '"status","started_at"'
    else:
        assert json.loads(path.read_text())["status"] == "completed"
    assert worked("sql", query, "--out", str(tmp_path / "answer.xls")).code == 2


def test_every_table_is_exported(worked: Cli, tmp_path: Path) -> None:
    written = worked.data("sql", "--export", str(tmp_path / "log"))["written"]
    assert {Path(path).stem: count for path, count in written.items()} == {
        "tool_executions": 7,
        "file_interactions": 6,
        "task_history": 1,
        "context_snapshots": 0,
        "learned_patterns": 1,
        "session_learnings": 1,
    }
    assert all(parquet.read_table(path).num_rows == count for path, count in written.items())


@pytest.mark.parametrize(
    ("module", "run"),
    [("duckdb", ("sql", "SELECT 1")), ("matplotlib", ("insights", "--png", "x.png"))],
)
def test_without_the_extra_a_line_names_it(
    worked: Cli, monkeypatch: pytest.MonkeyPatch, module: str, run: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    ran = worked(*run)
    assert ran.code == 2
    assert "pip install 'loremap[insights]'" in ran.err
    assert worked.data("insights")["days"] == 30
