"""Everything about the store that only SQLite does: one file, its key, its log, its copies."""
