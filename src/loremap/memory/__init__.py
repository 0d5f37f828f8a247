"""What is known: the one way in, and how it is found again."""
