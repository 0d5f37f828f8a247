"""What differs between coding agents: what they send and write down, what their settings say."""

SURFACE = (
    "client",
    "connect",
    "hook_events",
    "own_reading",
    "past",
    "payloads.adapter",
    "payloads.cleaned",
    "payloads.moments",
    "payloads.payload",
    "payloads.record",
    "payloads.tools",
    "registry",
    "settings.site",
    "show",
    "surroundings",
    "transcript",
    "transcripts.past",
    "transcripts.record",
)
"""What other rooms may import; `make lint` holds them to it."""
