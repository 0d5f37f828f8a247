"""What was done in sessions, and what is learned from it: turns, findings, episodes, patterns."""

SURFACE = ("patterns.telling", "finishing", "session_memory", "telling")
"""What other rooms may import; `make lint` holds them to it."""
