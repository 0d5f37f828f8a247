"""The command line, a thin shell over the façade. Heavy parts are imported when a command runs."""

from __future__ import annotations

from loremap.interfaces.cli.app import main

__all__ = ["main"]
