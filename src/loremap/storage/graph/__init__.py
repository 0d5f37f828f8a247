"""The code graph of one checkout, in a SQLite file of its own: derived, so it may be deleted."""
