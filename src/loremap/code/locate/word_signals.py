"""Signals from the words of a task."""

from __future__ import annotations

import numpy as np

from loremap.code.locate.asked import (
    SATURATION,
    Asked,
    bm25,
    length_norm,
)
from loremap.code.locate.index import Floats, LocateIndex, summed
from loremap.code.locate.similar import expected_similarity
from loremap.code.term_hashes import is_compound, text_hash, token_hashes, whole

_PATH_LENGTH_SHARE = 0.3
_RARE_FILES = 5
_RARE_SHARE = 10
"""A rare word is said by at most five files, in small projects by a tenth of them."""

_MAX_QUOTED = 2.0


def best_passage(asked: Asked) -> Floats:
    """The file's best passage for all words."""
    return _best(asked.index, asked.passage_scores)


def best_for_title(asked: Asked) -> Floats:
    """The file's best passage for the title."""
    return _best(asked.index, asked.scored_passages(asked.task.title_terms))


def names_of_title(asked: Asked) -> Floats:
    """Words of the title in names the file defines."""
    return bm25(asked.index.names, asked.task.title_terms)


def words_of_path(asked: Asked) -> Floats:
    """Words of the task in the file's path."""
    return bm25(asked.index.path_words, asked.task.terms, length_share=_PATH_LENGTH_SHARE)


def identifiers_said(asked: Asked) -> Floats:
    """The task's identifiers, as wholes, anywhere in the file."""
    weight = np.zeros(len(asked.terms))
    places = {int(term): at for at, term in enumerate(asked.terms)}
    for name, said in asked.task.identifiers.items():
        terms = [text_hash(whole(name))] if is_compound(name) else token_hashes(name)
        for term in terms:
            if term in places:
                weight[places[term]] = said
    named = weight > 0
    counts = asked.file_counts[:, named]
    norm = length_norm(asked.index.file_lengths)[:, None]
    scores: Floats = (counts * (SATURATION + 1) / (counts + norm)) @ (weight * asked.telling)[named]
    return scores


def rare_words(asked: Asked) -> Floats:
    """Words that very few files say."""
    said = asked.file_counts > 0
    files = np.count_nonzero(said, axis=0)
    rare = (files > 0) & (files <= min(_RARE_FILES, max(1, len(said) // _RARE_SHARE)))
    scores: Floats = np.log1p((said[:, rare] / files[rare]).sum(axis=1))
    return scores


def messages_quoted(asked: Asked) -> Floats:
    """Three words in a row that stand in a quoted text of the file."""
    messages, runs = asked.index.messages, asked.task.runs
    at, which = messages.matching(runs)
    share = 1 / np.maximum(np.bincount(which, minlength=len(runs)), 1)
    shares = summed(messages.places[at], share[which], len(asked.index))
    return np.minimum(np.log1p(shares), _MAX_QUOTED)


def similar_symbols(asked: Asked) -> Floats:
    """The file's symbol that is most like the task, where there are vectors."""
    if asked.similar is None:
        return np.zeros(len(asked.index))
    return np.maximum(expected_similarity(asked.similar, asked.found(best_passage)), 0)


def _best(index: LocateIndex, passage_scores: Floats) -> Floats:
    best = np.zeros(len(index))
    np.maximum.at(best, index.file_of, passage_scores)
    return best
