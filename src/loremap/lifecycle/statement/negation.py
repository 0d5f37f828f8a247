"""Negations and modal verbs brought to one form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremap.lifecycle.statement.tokens import Sort, Token

_ADVERBS = frozenset("not never nicht nie niemals no не".split())
_DETERMINERS = frozenset("no none nobody".split())
_MODALS = frozenset({"§may", "§must", "§should"})


def negations_settled(tokens: Iterable[Token]) -> list[Token]:
    """`may not` and `must not` as one negation, `not required` as optional."""
    settled: list[Token] = []
    for token in tokens:
        before = settled[-1].key if settled else ""
        if token.key == "§must" and before == "§not":
            settled[-1] = Token("§optional", Sort.MARK, f"{settled[-1].raw} {token.raw}")
        elif token.key == "§may" and (before == "§not" or _is_denied(settled)):
            continue
        elif token.key == "§non":
            if all(earlier.key != "§not" for earlier in settled[-3:]):  # "ne … pas" is one
                settled.append(Token("§not", Sort.MARK, token.raw))
        elif token.key == "§not" and before in _MODALS and token.raw.casefold() in _ADVERBS:
            settled[-1] = token
        else:
            settled.append(token)
    return settled


def _is_denied(settled: Sequence[Token]) -> bool:
    """Whether the subject before a permission is negated: `no test may`."""
    return any(token.raw.casefold() in _DETERMINERS for token in settled[-3:])
