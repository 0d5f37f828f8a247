"""What may enter the store, who may see it, and what must never reach a disk."""
