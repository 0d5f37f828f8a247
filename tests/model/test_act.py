"""An act is called by its weightiest deed, with the memories it was about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from loremap.model.act import Act, Deed, named, spoken_of

SUMMARIES = {"a" * 32: "Use tabs", "b" * 32: "Use spaces"}
A, B, C = "a" * 32, "b" * 32, "c" * 32


def act(*deeds: Deed) -> Act:
    return Act("x", datetime(2026, 1, 1, tzinfo=UTC), "me", deeds)


@pytest.mark.parametrize(
    ("deeds", "said"),
    [
        ((Deed("add", A, "fact confirmed user_stated"),), 'remembered aaaaaaaa "Use tabs"'),
        # A replacement: the old one is changed and linked besides.
        (
            (
                Deed("add", B, "fact"),
                Deed("update", A, "superseded"),
                Deed("link", B, f"supersedes {A}"),
            ),
            'remembered bbbbbbbb "Use spaces"',
        ),
        ((Deed("update", A, "edited"), Deed("redact", A)), 'edited aaaaaaaa "Use tabs"'),
        ((Deed("update", A, "not helpful"),), 'marked as not helpful aaaaaaaa "Use tabs"'),
        ((Deed("pin", A),), 'pinned aaaaaaaa "Use tabs"'),
        (
            (Deed("link", A, f"depends_on {B}"),),
            'linked aaaaaaaa "Use tabs" (depends_on) bbbbbbbb "Use spaces"',
        ),
        (
            (Deed("confirm", A), Deed("resolve", None, "first xyz"), Deed("update", B)),
            "resolved a conflict",
        ),
        ((Deed("alias"),), "changed an alias"),
        ((Deed("update", None, "map rename 123"),), "changed the module map"),
        ((Deed("settings", None, "off"),), "switched Loremap off for this project"),
        ((Deed("erase", C),), "erased cccccccc"),  # nothing is known of it any more
        (tuple(Deed("add", f"{n:032}") for n in range(4)), "remembered 4 memories"),
        ((Deed("evict", A),), 'let go of aaaaaaaa "Use tabs"'),
        ((Deed("promote", A), Deed("compact")), "tended what is known"),
        ((Deed("finalize", A),), "changed"),  # what has no name of its own
    ],
)
def test_an_act_is_named(deeds: tuple[Deed, ...], said: str) -> None:
    assert named(act(*deeds), SUMMARIES) == said


def test_only_what_was_erased_is_gone() -> None:
    assert act(Deed("remove", A)).undoable
    assert not act(Deed("erase", A)).undoable


def test_both_sides_of_a_link_are_spoken_of() -> None:
    assert spoken_of(act(Deed("link", A, f"depends_on {B}"), Deed("alias"))) == [A, B]
