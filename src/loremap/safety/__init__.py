"""What may enter the store, who may see it, and what must never reach a disk."""

SURFACE = (
    "echoes",
    "ignored",
    "kept_secrets",
    "keys",
    "own_rules",
    "pattern_globs",
    "patterns",
    "private_parts",
    "redaction",
    "sieve",
)
"""What other rooms may import; `make lint` holds them to it."""
