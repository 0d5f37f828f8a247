"""Hostile text: what of it is held back, and what of harmless text is."""
