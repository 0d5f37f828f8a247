"""Tells what other files can see of a file, so that only a change of that concerns them."""

from __future__ import annotations

import re

from loremap.code.facts import FileFacts

_CALLED = re.compile(r"\(\)")


def interface(facts: FileFacts) -> tuple[object, ...]:
    """All that can change how other files resolve; lines and calls are not in it."""
    return (
        facts.language,
        facts.package,
        [
            (one.name, one.kind, one.parent, one.params, one.bases, one.decorators, one.scope)
            for one in facts.definitions
        ],
        [one[:4] for one in facts.imports],
        [(one.scope, one.target, one.value, one.firm) for one in facts.bindings],
        _calls_in_values(facts),
    )


def _calls_in_values(facts: FileFacts) -> list[tuple[int, str, list[tuple[str, str]]]]:
    """The calls whose result a binding takes, with what they are given: it may come back."""
    taken = {
        (one.scope, one.value[: found.start()])
        for one in facts.bindings
        for found in _CALLED.finditer(one.value)
    }
    return [
        (call.scope, call.target, call.arguments)
        for call in facts.calls
        if call.arguments and (call.scope, call.target) in taken
    ]
