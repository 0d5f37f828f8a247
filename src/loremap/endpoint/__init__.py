"""Posts JSON to a model's HTTP endpoint: the one way by which a text leaves this process."""

SURFACE = ("post",)
"""What other rooms may import; `make lint` holds them to it."""
