"""Recall, check and learning are fast enough on what is small enough for every test run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def measured(module: str, *options: str, work: Path) -> dict[str, Any]:
    """What a benchmark wrote down; it fails where it misses its bar."""
    done = subprocess.run(
        [sys.executable, "-m", module, *options, "--results", str(work)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (written,) = work.glob("speed-*.json")
    figures: dict[str, Any] = json.loads(written.read_text("utf-8"))
    return figures


def test_a_recall_costs_little_more_than_embedding_and_scan(tmp_path: Path) -> None:
    options = ("--sizes", "2000", "--queries", "60", "--real-vectors", "100", "--most", "2.5")
    figures = measured("bench.speed.recall", *options, "--work", str(tmp_path), work=tmp_path)[
        "sizes"
    ]["2000"]
    assert figures["times"]["recall"]["runs"] == 60
    assert 1.0 < figures["processor_ratio"] < 2.5


def test_without_the_peer_its_benchmark_says_so_and_fails_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.speed.peers", "--work", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Peers: skipped, because chromadb cannot be installed here (")


def test_a_check_of_a_small_store_meets_the_bar_of_a_large_one(tmp_path: Path) -> None:
    options = ("--memories", "400", "--triggers", "200", "--texts", "50", "--real-vectors", "50")
    figures = measured("bench.speed.check", *options, "--work", str(tmp_path), work=tmp_path)
    assert figures["times"]["check"]["runs"] == 50
    assert figures["bars"]["median check in ms"]["met"]


def test_learning_from_a_short_session_takes_no_longer_than_from_a_long_one(tmp_path: Path) -> None:
    options = ("--messages", "200", "--most", "8")
    figures = measured("bench.sessions.learning_speed", *options, work=tmp_path)
    assert figures["taught_at_least"] > 20
    assert figures["times"]["200 messages"]["processor_median_ms"] < 2_000
