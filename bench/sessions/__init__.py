"""What sessions teach, and what of it is kept."""
