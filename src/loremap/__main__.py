"""`python -m loremap` is `lore`."""

from loremap.interfaces.cli import main

main()
