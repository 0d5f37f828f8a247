"""Rules that find what a session taught, from its turns alone."""
