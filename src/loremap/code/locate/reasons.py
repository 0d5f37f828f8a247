"""Says in words why a file was found."""

from __future__ import annotations

import numpy as np

from loremap.code.locate import name_signals, word_signals
from loremap.code.locate.asked import Asked

_MAX_NAMES = 4
_MAX_DEFINERS = 10
"""A name that more files define, such as `__init__`, is no reason."""
_QUOTED = 0.5
"""A run of words in two files or more is chance."""
_LIKE = 0.9
"""Share of the greatest likeness from which it is a reason."""
_MAX_WORDS = 5


def reasons_for(asked: Asked, at: int, *, user: int = -1) -> tuple[str, ...]:
    """What speaks for the file with index `at`, the plainest first; `user` raised it, if any."""
    return tuple(
        reason
        for reason in (
            *_places(asked, at),
            _definitions(asked, at),
            _quotes(asked, at),
            _likeness(asked, at),
            _words(asked, at),
            f"used by {asked.index.paths[user]}" if user >= 0 else "",
        )
        if reason
    )


def _places(asked: Asked, at: int) -> list[str]:
    return [
        words
        for words, is_so in (
            ("file named", asked.found(name_signals.file_named)[at] > 0),
            ("end of the traceback", name_signals.traceback_end(asked) == at),
        )
        if is_so
    ]


def _definitions(asked: Asked, at: int) -> str:
    """The names of the task that are defined here, the rarest first, members before their parts."""
    here = [
        (len(files), name)
        for name, files in asked.definers.items()
        if len(files) <= _MAX_DEFINERS and at in files
    ]
    members = [name for _, name in sorted(here) if "." in name]
    covered = {part for name in members for part in name.split(".")}
    single = [
        name for _, name in sorted(here) if name in asked.task.identifiers and name not in covered
    ]
    names = (members + single)[:_MAX_NAMES]
    return f"defines {', '.join(names)}" if names else ""


def _quotes(asked: Asked, at: int) -> str:
    quoted = asked.found(word_signals.messages_quoted)[at]
    return "contains a phrase of the task" if quoted > _QUOTED else ""


def _likeness(asked: Asked, at: int) -> str:
    if asked.similar is None or np.isnan(asked.similar[at]):
        return ""  # what is only expected is no reason
    like = asked.found(word_signals.similar_symbols)
    return "similar: a symbol reads like the task" if like[at] > _LIKE * like.max() else ""


def _words(asked: Asked, at: int) -> str:
    """The words of the task that speak most for the file."""
    wanted = asked.terms
    weight = np.array([asked.task.terms[int(term)] for term in wanted])
    worth = np.minimum(asked.counts_in(at), 3) * asked.passages_telling * weight
    best = [int(one) for one in np.argsort(-worth)[: 2 * _MAX_WORDS] if worth[one] > 0]
    words = dict.fromkeys(asked.task.spelling[int(wanted[one])] for one in best)
    return f"words: {', '.join(list(words)[:_MAX_WORDS])}" if words else ""
