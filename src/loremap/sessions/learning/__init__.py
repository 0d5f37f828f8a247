"""What the turns of a session teach, by rules."""
