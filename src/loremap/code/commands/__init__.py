"""The commands of a project, read from its own files without any model."""

from loremap.code.commands.found import project_commands

__all__ = ["project_commands"]
