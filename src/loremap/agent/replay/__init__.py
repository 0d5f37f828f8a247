"""What the memory agent would have told a session of the past, and whether that was right."""
