"""The tool that asks the map: modules, symbols, who calls what, what a change reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loremap.code.module_map.line import spoken
from loremap.code.module_map.text import module_text
from loremap.errors import BadInput, NotFound
from loremap.interfaces.mcp.answer import Answer, shortened
from loremap.interfaces.mcp.call import Call
from loremap.memory.brief.said import name_said
from loremap.model.hostile import UNSAID, speaks_to_a_model
from loremap.model.text import cut, one_line

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.code.checkout import Edges
    from loremap.model.code import Symbol
    from loremap.model.module import Module, ModuleMap

SHOWN = 20
MODULE_TOKENS = 800
LONGEST_LINE = 160
BEING_MADE = "The map of this project is still being made. Ask again in a minute."
NO_PROJECT = "This folder is no project, so it has no map."


def ask(call: Call) -> Answer:
    """Answer one question to the map."""
    action = call.given["action"]
    name = call.given.get("name", "")
    if action != "modules" and not name.strip():
        raise BadInput(f"'name' is missing for {action}.", hint=_WANTED[action])
    with call.lore() as lore:
        refuse_outside(lore)
    if not call.is_charted():
        return Answer(BEING_MADE)
    with call.lore() as lore:
        said = ACTIONS[action](lore, name, call.given)
        missing = lore.code.missing()
        if action in _WITHOUT_LINKS:
            missing = replace(missing, unlinked=0)
        return Answer(f"{said}\n{missing.said()}" if missing else said)


def refuse_outside(lore: Lore) -> None:
    """Raise where there is no project to be mapped."""
    if lore.repository.kind == "global":
        raise BadInput(NO_PROJECT, hint="Work in a project's folder.")


def _modules(lore: Lore, _name: str, given: Mapping[str, Any]) -> str:
    return map_text(lore.modules.map(), limit=given.get("limit", 2 * SHOWN))


def map_text(found: ModuleMap, *, limit: int = 200) -> str:
    """The map, a line for each module, then how the project is built and tested."""
    ordered = sorted(found.modules, key=lambda one: bool(one.role))  # the product leads
    lines = [_cut(_module_line(module)) for module in ordered[:limit]]
    lines += _more(len(found.modules), limit)
    sources = found.build.sources
    commands = dict(found.build.said())
    if found.tests.run_command:
        commands.setdefault("test", found.tests.run_command)
    lines += [
        _cut(f"{what}: {how}{f' [{sources[what]}]' if what in sources else ''}")
        for what, how in commands.items()
        if not speaks_to_a_model(how)
    ]
    return "\n".join(lines) or "There is no source code here that the map knows."


def _module_line(module: Module) -> str:
    """A module with how many files it has, or as what it stands apart, and what it is."""
    count = len(module.core_files)
    what = module.role or f"{count} file{'' if count == 1 else 's'}"
    told = spoken(module.description)
    return f"{module.name} ({what}){f': {told}' if told else ''}"


def _module(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    return module_told(lore, name)


def module_told(lore: Lore, name: str) -> str:
    """One module in full, as far as that is worth reading."""
    module = module_named(lore.modules.map(), name)
    hints = lore.modules.hints(module.core_files[:SHOWN])
    text = module_text(module, hints=hints, budget_tokens=MODULE_TOKENS)
    return f"{text or one_line(module.name)}\nversion {module.version}"


def module_named(found: ModuleMap, name: str) -> Module:
    """The module of that name; raises with the names there are."""
    wanted = name.strip().casefold()
    by_name = {module.name.casefold(): module for module in found.modules}
    ending = [module for key, module in by_name.items() if key.endswith(f".{wanted}")]
    module = by_name.get(wanted) or (ending[0] if len(ending) == 1 else None)
    if module is None:
        names = ", ".join(cut(one_line(one.name), 40) for one in found.modules[:12]) or "none"
        raise NotFound(f"The map has no module {shortened(name)}.", hint=f"Modules: {names}.")
    return module


def _symbol(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    found = lore.code.symbols(name)
    limit = given.get("limit", SHOWN)
    return "\n".join([*(_defined(symbol) for symbol in found[:limit]), *_more(len(found), limit)])


def _defined(symbol: Symbol) -> str:
    said = symbol.signature or f"{symbol.kind.value} {symbol.qualified or symbol.path}"
    doc = f" – {symbol.doc}" if symbol.doc and not speaks_to_a_model(symbol.doc) else ""
    return _cut(f"{symbol.path}:{symbol.start_line} {_signature(said)}{doc}")


def _signature(said: str) -> str:
    """What a symbol is declared as; a default value may be any text."""
    return UNSAID if speaks_to_a_model(said) else name_said(said)


def _callers(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    edges = lore.code.callers(name, limit=given.get("limit", SHOWN))
    return _edges(edges, to_it=True, empty=edges.unresolved.said(shortened(name)))


def _callees(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    edges = lore.code.callees(name, limit=given.get("limit", SHOWN))
    return _edges(
        edges, to_it=False, empty=f"{shortened(name)} calls nothing that is in this project."
    )


def _references(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    edges = lore.code.references(name, limit=given.get("limit", SHOWN))
    return _edges(edges, to_it=True, empty=f"Nothing in this project mentions {shortened(name)}.")


def _edges(edges: Edges, *, to_it: bool, empty: str) -> str:
    lines = []
    for edge in edges:
        other = edge.source if to_it else edge.target
        kind = "" if edge.kind.value == "calls" else f" ({edge.kind.value})"
        at = "" if to_it else f" {other.path}:{other.start_line}"
        called = name_said(other.qualified or other.path)
        lines.append(_cut(f"{edge.source.path}:{edge.line} {called}{at}{kind}"))
    return "\n".join([*lines, *_more(edges.total, len(lines))]) or empty


def _impact(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    found = lore.code.impact(name, limit=given.get("limit", SHOWN))
    if not found.total:
        return f"Nothing in this project depends on {shortened(name)}."
    lines = [
        _cut(
            f"{one.symbol.path}:{one.symbol.start_line} {name_said(one.symbol.qualified)} "
            f"({one.steps} steps)"
        )
        for one in found
    ]
    reach = f"{found.total} symbols in {found.files} files"
    head = f"A change of {shortened(name)} may reach {reach}; nearest:"
    return "\n".join([head, *lines])


def _together(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    """The files that past sessions changed together with one, and how surely."""
    found = lore.patterns.together(name, limit=given.get("limit", SHOWN))
    if not found:
        return f"No file was changed together with {shortened(name)} three times."
    head = "Changed together with it in past sessions, noted and unverified:"
    lines = [
        _cut(
            f"{name_said(other)} ({one.observed} times in {one.sessions} sessions, "
            f"{one.against} times not)"
        )
        for other, one in found
    ]
    return "\n".join([head, *lines])


def _locate(lore: Lore, name: str, given: Mapping[str, Any]) -> str:
    found = lore.code.locate(name, limit=given.get("limit", SHOWN // 2))
    lines = []
    for title, files in (("", found.files), ("tests: ", found.tests)):
        for file in files:
            symbols = ", ".join(f"{name_said(one.name)}:{one.line}" for one in file.symbols)
            lines.append(_cut(f"{title}{file.path} {symbols}".rstrip()))
    return "\n".join(lines) or "Nothing here speaks of that."


def _more(total: int, shown: int) -> Iterable[str]:
    return [f"… and {total - shown} more"] if total > shown else []


def _cut(line: str) -> str:
    """A line of an answer: what a repository holds was written by anyone."""
    line = one_line(line)
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


ACTIONS: dict[str, Callable[[Lore, str, Mapping[str, Any]], str]] = {
    "modules": _modules,
    "module": _module,
    "symbol": _symbol,
    "callers": _callers,
    "callees": _callees,
    "references": _references,
    "impact": _impact,
    "together": _together,
    "locate": _locate,
}

_WITHOUT_LINKS = frozenset({"symbol", "together"})
"""What is known of a file as soon as it is read, or from past sessions."""
_A_SYMBOL = "Give a function, `Class.method`, `path/file.py::name` or a file."
_WANTED = dict.fromkeys(ACTIONS, _A_SYMBOL) | {
    "module": "Give a module's name; the action modules lists them.",
    "locate": "Give the task in a sentence.",
    "together": "Give a file.",
}
