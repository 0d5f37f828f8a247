"""Finds the files and symbols that a task description means, without a model."""
