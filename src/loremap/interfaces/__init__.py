"""Adapters: parse, call the façade, present."""
