"""The optional small language model: what it is asked, how it is reached, how it is read."""

SURFACE = (
    "answers",
    "ask",
    "choose",
    "program",
    "protocols",
    "tasks.classify",
    "tasks.extract",
    "tasks.gaps",
    "tasks.name",
    "tasks.relate",
    "tasks.verify",
)
"""What other rooms may import; `make lint` holds them to it."""
