"""Whether the memory agent speaks when it has something to say, and is silent otherwise."""
