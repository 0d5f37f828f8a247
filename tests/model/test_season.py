"""When a seasonal memory is in season."""

from __future__ import annotations

import pytest

from loremap.model.season import in_season


@pytest.mark.parametrize(
    ("label", "texts", "seasons", "now"),
    [
        ("release-week", ["what is to do in the release week?"], [], True),
        ("release-week", ["what is to do for the release?"], [], False),  # all words of it
        ("release-week", ["", "chore/release-week-42"], [], True),  # the branch
        ("release-week", ["release", "week"], [], False),  # in one text
        ("end-of-sprint", ["the sprint ends on Friday"], [], True),  # as words are stemmed
        ("end-of-sprint", ["how do I build?"], ["End-of-Sprint"], True),  # set by hand
        ("end-of-sprint", ["how do I build?"], ["release-week"], False),
        ("—", ["—"], [], False),  # no word: by hand only
        ("—", [""], ["—"], True),
    ],
)
def test_what_is_in_season(label: str, texts: list[str], seasons: list[str], now: bool) -> None:
    assert in_season(label, texts=texts, seasons=seasons) is now
