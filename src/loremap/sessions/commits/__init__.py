"""What the messages of commits teach."""
