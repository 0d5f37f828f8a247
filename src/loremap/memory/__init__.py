"""What is known: the one way in, and how it is found again."""

SURFACE = (
    "admission.amend",
    "admission.embed",
    "anchoring",
    "brief.always",
    "brief.brief",
    "brief.budget",
    "brief.ours",
    "brief.render",
    "brief.said",
    "briefing",
    "found",
    "modules",
    "recall.context",
    "recall.match_modules",
    "recall.recipes",
    "recall.run",
    "recall.signals",
    "recalling",
    "seeding",
    "standby.files",
    "standing",
    "workspace",
    "workspaces",
    "writing",
)
"""What other rooms may import; `make lint` holds them to it."""
