"""What clients tell of their sessions, read into one form: a small adapter for each of them."""
