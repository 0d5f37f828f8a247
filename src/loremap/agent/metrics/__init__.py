"""What was injected and what it was worth, as the store tells it."""
