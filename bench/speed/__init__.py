"""How fast recall and check are, as ratios measured in one run."""
