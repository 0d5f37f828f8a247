"""The map of a codebase: its repository, its files, what they define and what calls what."""

SURFACE = (
    "anchored_files",
    "anchors",
    "branches",
    "checkout",
    "commands",
    "commits",
    "languages",
    "locate.rank",
    "mentions",
    "module_map",
    "module_map.line",
    "module_map.mapped",
    "module_map.text",
    "project_aliases",
    "repository",
    "scan.listing",
    "scan.update",
    "seed",
    "verdicts",
    "view",
)
"""What other rooms may import; `make lint` holds them to it."""
