"""What knowing more at its prompts would have spared a session: start reading at `spared.py`."""
