"""Connecting Loremap to the coding agents of a machine, and taking it out again."""
