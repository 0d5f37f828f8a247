"""When a seasonal memory is in season, such as one for the week of a release."""

from __future__ import annotations

from collections.abc import Iterable

from loremap.model.words import plain, words


def in_season(label: str, *, texts: Iterable[str], seasons: Iterable[str]) -> bool:
    """Whether one of `texts`, a question or the name of a branch, says all words of a label, or the
    label is among the `seasons` that are set."""
    if plain(label) in {plain(season) for season in seasons}:
        return True
    wanted = set(words(label))
    return bool(wanted) and any(wanted <= set(words(text)) for text in texts)
