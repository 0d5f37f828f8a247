"""Frozen values that every room passes around."""
