"""Memories that live: what tending takes, and what ageing does to recall."""
