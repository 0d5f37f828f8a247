"""How long it takes to look after what is remembered."""
