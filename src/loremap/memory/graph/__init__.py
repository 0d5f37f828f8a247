"""The memory graph: what belongs together, by tags, clusters and links."""
