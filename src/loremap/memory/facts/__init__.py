"""Facts: read from whole sentences without a model, joined by the entities they speak of."""
