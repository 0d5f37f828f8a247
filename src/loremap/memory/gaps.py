"""Gaps: substantial questions that nothing here answered, each noted once and counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from loremap.embedding.scale import known_scale
from loremap.memory import recalling
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.clock import new_id
from loremap.model.gap import FEWEST_WORDS, MAX_SNIPPET, SAME_GAP, SAME_WORDS, Gap
from loremap.model.text import visible
from loremap.model.words import words
from loremap.safety.redaction import redacted
from loremap.storage import gaps

MAX_REVIEWED = 40
"""So many of the most asked are asked again after a session."""


def note(here: Workspace, prompt: str) -> Gap | None:
    """Note that `prompt` found nothing, or count it where the same was asked before; None where
    it asks too little, nothing but a secret, or what a person has closed."""
    asked = redacted(visible(prompt)).text.strip()[:MAX_SNIPPET]
    if len(set(words(asked))) < FEWEST_WORDS:
        return None
    settled_project(here)  # else it would stand in every folder that is no project yet
    vector = here.engine.slot.query_vector(asked)
    taken = here.engine.slot.taken
    gap = Gap(
        id=new_id(),
        asked=asked,
        at=here.now(),
        last_at=here.now(),
        project_id=here.project_id,
        session_id=here.session_id,
        model=None if taken is None or vector is None else taken.model,
        vector=None if vector is None else np.asarray(vector, np.float32).tobytes(),
    )
    with here.store.append() as conn:
        known = gaps.of_project(conn, here.project_id, closed=True)
        same = next((one for one in known if is_same(one, gap)), None)
        if same is None:
            gaps.put(conn, gap)
        elif same.closed_at is None:
            gaps.asked_again(conn, same.id, gap.at)
    return gap if same is None else same if same.closed_at is None else None


def is_same(old: Gap, new: Gap) -> bool:
    """Whether two prompts ask the same."""
    if old.asked == new.asked:
        return True
    scale = known_scale(new.model)
    if scale is not None and old.model == new.model and old.vector and new.vector:
        one, other = (np.frombuffer(each, np.float32) for each in (old.vector, new.vector))
        return scale.of(float(one @ other)) >= SAME_GAP
    said, again = set(words(old.asked)), set(words(new.asked))
    return len(said & again) >= SAME_WORDS * max(1, len(said | again))


def open_gaps(here: Workspace) -> Sequence[Gap]:
    """What was asked here and nothing answered, the most asked first."""
    with here.store.read() as conn:
        return gaps.of_project(conn, here.project_id)


def close_answered(here: Workspace, learned: Collection[str]) -> Sequence[Gap]:
    """The open gaps that what was just learned answers, closed: asked again, they find it."""
    if not learned:
        return ()
    answered = [one for one in open_gaps(here)[:MAX_REVIEWED] if _finds(here, one, learned)]
    with here.store.append() as conn:
        for one in answered:
            gaps.close(conn, one.id, here.now())
    return answered


def _finds(here: Workspace, gap: Gap, learned: Collection[str]) -> bool:
    """Whether a prompt that asks it is told of what was learned; no model is asked."""
    hits = recalling.recall(here, gap.asked, recipe="hybrid", count_use=False).hits
    return any(hit.memory.id in learned for hit in hits)
