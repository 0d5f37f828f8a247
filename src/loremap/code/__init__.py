"""The map of a codebase: its repository, its files, what they define and what calls what."""
