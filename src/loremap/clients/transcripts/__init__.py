"""What clients write down of their sessions, read back as typed records."""
