"""Brings the code graph of a checkout up to date with its files."""
