"""What is taken in: from repositories first, from sessions and transcripts later."""
