"""One sentence or two read for comparison: its pieces, quantities, tokens, order and frame."""
