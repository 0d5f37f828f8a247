"""What was done in sessions, and what is learned from it: turns, findings, episodes, patterns."""

SURFACE = ()
"""What other rooms may import; `make lint` holds them to it."""
