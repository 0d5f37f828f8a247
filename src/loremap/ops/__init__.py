"""Keeping the store: housekeeping, encryption, and its state for a person to read."""
