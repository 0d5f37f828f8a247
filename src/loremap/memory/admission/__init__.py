"""What happens to a memory between its arrival and its end: admission, change, fading."""
