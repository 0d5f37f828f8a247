"""Convention memories for a cold start, read from a repository's own files without any model."""

from loremap.code.seed.choose import MAX_SEEDS, new_seeds
from loremap.code.seed.collect import Seeding, seeds
from loremap.code.seed.value import Seed

__all__ = ["MAX_SEEDS", "Seed", "Seeding", "new_seeds", "seeds"]
