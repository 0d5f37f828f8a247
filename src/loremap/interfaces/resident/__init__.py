"""The resident: one background process per user that keeps the memory warm for every session."""
