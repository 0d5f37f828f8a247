"""What was done in sessions, and what is learned from it: turns, findings, episodes, patterns."""

SURFACE = (
    "commits.history",
    "episodes.asked",
    "finishing",
    "importing",
    "learning.framed",
    "learning.learn",
    "past",
    "patterns.telling",
    "replay.spared",
    "replay.steps",
    "session_memory",
    "telling",
)
"""What other rooms may import; `make lint` holds them to it."""
