"""What one file of a checkout is read into."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremap.capture.scan.read import content_hash, parsed
from loremap.storage.graph.rows import GONE, LINKABLE, SAME

SOURCE = b"def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("known", "state"),
    [
        ("", LINKABLE),
        (content_hash(SOURCE), SAME),
        (content_hash(SOURCE + b"\n"), LINKABLE),
    ],
)
def test_a_file_is_read_again_only_where_its_content_differs(
    tmp_path: Path, known: str, state: str
) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    found = parsed(tmp_path, "a.py", known=known)
    assert (found.state, found.hash) == (state, content_hash(SOURCE))
    assert bool(found.facts) is (state == LINKABLE)
    assert found.stamp.size == len(SOURCE)


def test_a_file_that_vanished_is_gone_whatever_was_known(tmp_path: Path) -> None:
    assert parsed(tmp_path, "a.py", known=content_hash(SOURCE)).state == GONE
