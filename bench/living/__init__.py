"""Memories that live: what looking after them takes, and what it does to recall."""
