"""What names mean: the values of chains, and the edges of a file that follow from them."""
