"""Documents and settings files of a repository, read with their line numbers."""
