"""The memory agent: it knows every session and answers each in time. A session is a value
(`state.py`), changed by one pure function (`reduce.py`); start reading there, and at
`session_agent.py`, the shell around it."""

SURFACE = (
    "after_recall",
    "intake.intake",
    "metrics.discovery",
    "metrics.measures",
    "metrics.meter",
    "metrics.rules",
    "replay.judged",
    "replay.rehearsal",
    "service_level",
    "session_agent",
    "state",
    "switches",
    "verifying",
)
"""What other rooms may import; `make lint` holds them to it."""
