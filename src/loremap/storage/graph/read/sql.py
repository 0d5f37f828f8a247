"""The pieces of SQL that several questions share."""

from __future__ import annotations

OF_FILE = "FROM symbols s JOIN files f ON f.id = s.file_id"
"""Every symbol `s` with its file `f`."""
BOTH_ENDS = """FROM edges e
    JOIN symbols s ON s.id = e.source JOIN files sf ON sf.id = s.file_id
    JOIN symbols t ON t.id = e.target JOIN files tf ON tf.id = t.file_id"""
"""Every edge `e` with its source `s` in `sf` and its target `t` in `tf`."""
MAX_AT_ONCE = 500
"""How many values one statement takes."""
