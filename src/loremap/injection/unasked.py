"""What is told unasked must fit better than what answers a question: silence costs nothing.

How near a memory is says little of a short turn: "add tests" is near to all that is remembered of
tests. What tells a task from a turn in the middle of one is that it names something. So the words
that developers say of any project are set aside, and those left are counted: how many there are,
and how many of them the memory says too. The fewer, the surer the gate must be. The figures were
chosen on one half of the prompts of `bench/unasked`; the other half judges them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf

from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.text import opening
from loremap.model.words import words

ENOUGH = 2
"""So many telling words in common, and the gate's own verdict is enough: it opens at 0. So many in
the prompt, and it speaks of something by itself."""
SURELY = 3.5
"""Log-odds by which the gate must believe in an answer that says it in other words."""
SURELY_BY_ONE = 5.0
"""The like for a prompt of one telling word, which the answer has to say too."""
NEAR_BEST = 0.6
"""Beside the best a memory is told from this share of its score."""
MOST_FILES = 0.5
"""From this share of the files found for a task they speak for the module they lie in."""
FIRST_CJK = "\u3040"

GENERIC = frozenset(
    words(
        """
        add adjust apply bump call change check clean close commit compile convert copy create cut
        debug delete deploy document drop edit extract find fix format handle implement import
        improve include inline install lint list load log merge move open pass patch print pull
        push put read rebase refactor release remove rename replace report reproduce request require
        reset resolve restart return revert review rewrite run save send set ship simplify skip
        solve speed split squash start stop summarize support switch test touch trace try turn
        update upgrade use write

        app approach argument behavior behaviour branch bug build case class code command comment
        conflict constant data dependency detail diff difference directory doc documentation editor
        error example exception fail failure feature field file folder function helper
        implementation information input issue item key kind language library line linter logging
        main message method module name note number object option order output package parameter
        part path place pr problem program project property reason repo repository rule script side
        size state statement step string style suite summary system table task text ticket tool
        type user value variable version warning word

        actual bad better big broken clear correct current dead easy edge empty existing extra fast
        final green hard latest long magic missing new null old other previous proper real red same
        second separate short similar simple single slow small still unused usual valid verbose
        whole
        """
    )
)
"""What is done to any code, what any code is made of, and how it is found to be. English only: the
like words of other languages count as telling here, which matters where memories are written in
those languages."""


def worth_telling(
    content: Collection[str], hits: Sequence[Hit], *, belief: float | None, with_vectors: bool
) -> list[Hit]:
    """Of the hits that passed the gate, those that may be told to somebody who did not ask;
    `content` are the words of the prompt that have content."""
    if not hits:
        return []
    said = telling(content)
    common = shared(said, max(hits, key=lambda hit: hit.score))
    bar = least_belief(counted(said), common, with_vectors=with_vectors)
    if belief is not None and belief < bar:
        return []
    least = min(common, ENOUGH)
    return [hit for hit in near_best(hits) if shared(said, hit) >= least]


def modules_worth_telling(
    content: Collection[str],
    modules: Sequence[Module],
    *,
    hits: Sequence[Hit],
    located: Sequence[str],
) -> list[Module]:
    """Of the modules that a prompt names, those that something else speaks for too: a memory that
    is told of one of its files, or most of the files found for a prompt that names things."""
    files = {path for hit in hits for path in hit.memory.files}
    traced = counted(telling(content)) >= ENOUGH
    return [
        module
        for module in modules
        if not files.isdisjoint(module.core_files)
        or (traced and share_of(module, located) >= MOST_FILES)
    ]


def telling(content: Collection[str]) -> frozenset[str]:
    """The words of a prompt that may name what it is about."""
    return frozenset(content) - GENERIC


def shared(said: Collection[str], hit: Hit) -> int:
    """How many of these words a memory says too: in its opening, its tags or its files' names."""
    memory = hit.memory
    text = " ".join((opening(memory.content)[0], *memory.tags, *memory.files))
    return counted(frozenset(said).intersection(words(text)))


def counted(terms: Collection[str]) -> int:
    """How many words these terms are; a word of Chinese or Japanese or Korean is cut into pairs of
    letters, so that two of them make one."""
    pairs = sum(term >= FIRST_CJK for term in terms)
    return len(terms) - pairs + pairs // 2


def least_belief(said: int, common: int, *, with_vectors: bool) -> float:
    """How much the gate must believe in the answer to a prompt of so many telling words, of which
    the best memory has some in common. Without vectors the gate knows nothing but words."""
    if common >= ENOUGH:
        return 0.0
    if not with_vectors:
        return inf
    if said >= ENOUGH:
        return SURELY
    return SURELY_BY_ONE if common else inf


def share_of(module: Module, located: Sequence[str]) -> float:
    """The share of a module in files that were found, best first; the first counts most."""
    weights = {path: 1 / (1 + rank) for rank, path in enumerate(located)}
    inside = sum(weights.get(path, 0.0) for path in module.core_files)
    return inside / sum(weights.values()) if weights else 0.0


def near_best(hits: Sequence[Hit]) -> list[Hit]:
    """Those that fit about as well as the best."""
    floor = NEAR_BEST * max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= floor]
