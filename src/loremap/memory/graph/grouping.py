"""Groups of vectors that stand close together, by HDBSCAN: which belong together, in fewer numbers,
which groups are one, and which group is still the one it was."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Places = NDArray[np.int64]

DIMENSIONS = 50
"""So many numbers are left of a vector: in all 384, 5,000 take half a minute and one group takes
in a quarter of them."""
MIN_MEMBERS = 3
"""The least that makes a group."""
MIN_SAMPLES = 2
"""How many neighbours a dense place has."""
NEAR = 0.3
"""The cosine of a member with the middle of the others, without what all have in common. Chosen on
the notes of coding-dev: at 0.2 a third of the pairs in a cluster are of one repository, at 0.3
nearly half, at 0.4 half of the clusters are gone."""
ROUNDS = 3
"""So often the middle is found again without those that stood far."""
SAME = 0.5
"""The share of the members of either that makes two groups one and the same."""
AS_NEAR = 1.0
"""Two groups are one where their middles stand as near as their members stand to them."""


def is_installed() -> bool:
    """Whether what makes clusters is there: the extra `clusters`."""
    return find_spec("sklearn") is not None


def centred(vectors: Vectors) -> Vectors:
    """Unit vectors without what all of them have in common."""
    apart = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(apart, axis=1, keepdims=True)
    found: Vectors = (apart / np.maximum(lengths, 1e-9)).astype(np.float32)
    return found


def reduced(vectors: Vectors, dimensions: int = DIMENSIONS) -> Vectors:
    """Vectors in the directions in which they differ most (principal components)."""
    if vectors.shape[1] <= dimensions or len(vectors) <= dimensions:
        return vectors
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    found: Vectors = (vectors @ directions[:, -dimensions:]).astype(np.float32)
    return found


def grouped(vectors: Vectors) -> list[Places]:
    """The places of vectors that stand close together, group by group; most belong to none."""
    if len(vectors) < 2 * MIN_MEMBERS:
        return []
    from sklearn.cluster import HDBSCAN

    points = reduced(centred(vectors)).astype(np.float64)
    found = HDBSCAN(min_cluster_size=MIN_MEMBERS, min_samples=MIN_SAMPLES, copy=True).fit(points)
    labels = np.asarray(found.labels_)
    groups = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    return merged(tightened(groups, centred(vectors)), centred(vectors))


def tightened(groups: Sequence[Places], vectors: Vectors) -> list[Places]:
    """The groups without members that stand far from the others; none of too few."""
    left = list(groups)
    for _ in range(ROUNDS):
        left = [group[closeness(vectors[group]) >= NEAR] for group in left if len(group) > 1]
    return [group for group in left if len(group) >= MIN_MEMBERS]


def closeness(vectors: Vectors) -> NDArray[np.float32]:
    """How near each of some vectors stands to the middle of the others: its own part in the middle
    would make every small group look close."""
    others = vectors.sum(axis=0) - vectors
    lengths = np.maximum(np.linalg.norm(others, axis=1), 1e-9)
    found: NDArray[np.float32] = (others * vectors).sum(axis=1) / lengths
    return found


def near_enough(usual: float, least: float) -> float:
    """How near to the middle another one must stand to belong: half-way from the farthest member
    to the usual one."""
    return (usual + least) / 2


def merged(groups: Sequence[Places], vectors: Vectors) -> list[Places]:
    """The groups, those joined whose middles are as near as their members are to them; the
    nearest two first."""
    left = [np.asarray(group) for group in groups]
    while len(left) > 1:
        middles = np.stack([middle(vectors[group]) for group in left])
        inner = np.asarray(
            [float((vectors[group] @ at).mean()) for group, at in zip(left, middles, strict=True)]
        )
        near = middles @ middles.T
        np.fill_diagonal(near, -1.0)
        spare = near - AS_NEAR * np.maximum.outer(inner, inner)
        one, other = np.unravel_index(int(spare.argmax()), spare.shape)
        if spare[one, other] < 0:
            break
        left[one] = np.sort(np.concatenate((left[one], left[other])))
        del left[other]
    return left


def middle(vectors: Vectors) -> Vectors:
    """The unit vector in the middle of some."""
    mean = vectors.mean(axis=0)
    found: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-9)).astype(np.float32)
    return found


def kept_ids(
    groups: Sequence[Collection[str]], before: Mapping[str, Collection[str]]
) -> list[str | None]:
    """For each group of memories the id of the cluster that it mostly is, each given once, to the
    two that share the most; None where it is new."""
    known = {id_: set(members) for id_, members in before.items()}
    shared = sorted(
        (-len(known[id_].intersection(group)), at, id_)
        for at, group in enumerate(groups)
        for id_ in known
        if len(known[id_].intersection(group)) >= SAME * max(min(len(group), len(known[id_])), 1)
    )
    found: list[str | None] = [None] * len(groups)
    given: set[str] = set()
    for _, at, id_ in shared:
        if found[at] is None and id_ not in given:
            found[at] = id_
            given.add(id_)
    return found
