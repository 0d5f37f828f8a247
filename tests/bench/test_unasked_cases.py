"""The benchmark of what is told unasked is whole, and says what it means."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from bench.unasked.cases import SILENT, Prompt, Sort, Store, prompts_for, silent, stores
from bench.unasked.run import figures_of, missed_bars, summed_up
from bench.unasked.world import Told

from loremap.model.kind import Kind

EVERY = stores()


@pytest.mark.parametrize("store", EVERY, ids=lambda store: store.name)
def test_a_store_is_of_one_piece(store: Store) -> None:
    keys = [one.key for one in store.memories]
    assert len(keys) >= 60
    assert len(set(keys)) == len(keys)
    assert {one.kind for one in store.memories} <= {kind.value for kind in Kind}
    assert all(one.files and one.text.endswith((".", "...")) for one in store.memories)
    for task in store.tasks:
        assert task.helped_by
        assert task.helped_by <= set(keys), task.text


def test_there_are_enough_prompts_of_each_sort_in_both_halves() -> None:
    counted = Counter(
        (prompt.sort, prompt.held_out)
        for prompt in (*silent(), *(task for store in EVERY for task in store.tasks))
    )
    for sort in (Sort.TASK, Sort.FOLLOW_UP, Sort.CHATTER, Sort.FOREIGN):
        assert counted[sort, True] + counted[sort, False] >= 60
        assert min(counted[sort, True], counted[sort, False]) >= 25


def test_a_store_is_asked_its_own_tasks_and_what_it_should_be_silent_at() -> None:
    prompts = prompts_for(EVERY[-1], EVERY)
    assert {prompt.sort for prompt in prompts} == set(Sort)
    for prompt in prompts:
        assert bool(prompt.helped_by) == (prompt.sort is Sort.TASK)
    assert any("\n" in task.text for store in EVERY for task in store.tasks)  # pasted tracebacks


SILENT_ONE = Told(Prompt(Sort.TASK, "x", frozenset({"a"})), (), False, (), False, 0)
RIGHT_ONE = replace(SILENT_ONE, memories=("a", ""), right_memory=True, tokens=40)
MODULE_ONE = replace(SILENT_ONE, modules=("db",), right_module=True, tokens=20)


def test_figures() -> None:
    figures = figures_of([SILENT_ONE, RIGHT_ONE, MODULE_ONE, SILENT_ONE])
    assert figures == {
        "prompts": 4,
        "silent": 50.0,
        "told a memory": 25.0,
        "told a module": 25.0,
        "right memory": 25.0,
        "right module": 25.0,
        "memories": 0.5,
        "tokens": 15.0,
    }


def test_a_bar_is_missed_by_what_is_told_to_held_out_prompts() -> None:
    held_out = [prompt for prompt in silent() if prompt.held_out]
    quiet = [replace(SILENT_ONE, prompt=prompt) for prompt in held_out]
    quiet += [replace(SILENT_ONE, prompt=replace(held_out[0], sort=Sort.NEIGHBOUR))]
    assert missed_bars(summed_up(quiet)) == []
    loud = [
        replace(one, memories=("a",)) if one.prompt.sort is Sort.CHATTER else one for one in quiet
    ]
    (missed,) = missed_bars(summed_up(loud))
    assert missed == f"{SILENT[1].value}: silent for 0.0 %, at least 95.0"
