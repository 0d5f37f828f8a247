"""The module map of a project, found from its files, imports and manifests without any model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loremap.code.module_map.apart import names_apart, trees_apart
from loremap.code.module_map.core_files import by_importance, importers
from loremap.code.module_map.describing import description, sentence
from loremap.code.module_map.entry_points import declared, entry_points
from loremap.code.module_map.frameworks import test_framework
from loremap.code.module_map.grouping import Part
from loremap.code.module_map.joined_tests import tested_by
from loremap.code.module_map.manifests import Manifest, manifests
from loremap.code.module_map.packages import dependencies, naming
from loremap.code.module_map.parting import Parted, parted
from loremap.code.module_map.project_view import ProjectFile, ProjectView
from loremap.code.module_map.told_folders import told_folders, told_of
from loremap.model.module import BuildSystem, FoundMap, Module
from loremap.model.paths import is_test_path

MAX_RELATED = 8

Joins = Sequence[tuple[str, str, float]]


def mapped(project: ProjectView, build: BuildSystem | None = None) -> FoundMap:
    """The modules of a project and how it is tested; how it is built is given."""
    found = manifests(project.texts)
    build = build or BuildSystem()
    return FoundMap(
        modules=_modules(project, parted(project, found), found),
        build=build,
        tests=test_framework(project, build, found),
    )


def _modules(project: ProjectView, whole: Parted, found: Sequence[Manifest]) -> tuple[Module, ...]:
    ties = _ties(whole.named, project.imports)
    tests = tested_by(
        [file.path for file in project.files if is_test_path(file.path)],
        {name: [file.path for file in part.files] for name, part in whole.named.items()},
        project.imports,
    )
    offered = declared(found, frozenset(project.paths))
    package = naming(found, own=_own_imports(project, found))
    modules = list[tuple[Module, str]]()
    for name, part in whole.named.items():
        ranked = by_importance(
            part.files, name=name, joins=ties.within.get(name, ()), used=ties.used
        )
        module = Module(
            name=name,
            description=_said(project, name, ranked, whole=whole, found=found),
            core_files=tuple(file.path for file in ranked),
            entry_points=entry_points(
                ranked, folder=part.folder, declared=offered, used_outside=ties.used_outside
            ),
            test_files=tests.get(name, ()),
            dependencies=dependencies(ranked, external=project.external, named=package),
            related_modules=_strongest(ties.related.get(name, {})),
        )
        modules.append((module, "" if part.label else part.folder))
    modules += _apart(project, [module for module, _ in modules])
    return _described(project, modules, found)


def _apart(project: ProjectView, modules: Sequence[Module]) -> list[tuple[Module, str]]:
    """The trees beside the modules, each as the folder it is."""
    placed = [path for module in modules for path in module.core_files]
    trees = names_apart(
        trees_apart(project.paths, vendored=project.vendored, placed=placed),
        taken=[module.name for module in modules],
    )
    return [
        (Module(name=name, core_files=(tree,), description=_of_tree(project, tree)), tree[:-1])
        for name, tree in trees.items()
    ]


def _of_tree(project: ProjectView, tree: str) -> str:
    return description(
        "", (), folders=[tree[:-1]], is_product=False, texts=project.texts, manifests=()
    )


def _said(
    project: ProjectView,
    name: str,
    ranked: Sequence[ProjectFile],
    *,
    whole: Parted,
    found: Sequence[Manifest],
) -> str:
    """The description of a module by its own documentation."""
    part = whole.named[name]
    return description(
        name,
        ranked,
        folders=whole.folders_of(part),
        is_product=part.folder in whole.leading,
        texts=project.texts,
        manifests=found,
    )


def _described(
    project: ProjectView, modules: Sequence[tuple[Module, str]], found: Sequence[Manifest]
) -> tuple[Module, ...]:
    """The modules, each with its folder, with what the project's guides say of those that do not
    say it themselves; without what is said of the project."""
    told = told_folders(project.texts)
    slogans = {sentence(one.description).casefold() for one in found if not one.folder} - {""}
    described = [
        module
        if module.description and module.description.casefold() not in slogans
        else replace(module, description=told_of(folder, told) if folder else "")
        for module, folder in modules
    ]
    return tuple(sorted(described, key=lambda module: module.name.lower()))


def _strongest(related: Mapping[str, float]) -> tuple[str, ...]:
    ranked = sorted(related.items(), key=lambda one: (-one[1], one[0]))
    return tuple(name for name, _ in ranked[:MAX_RELATED])


@dataclass(frozen=True, slots=True)
class _Ties:
    """What joins modules and their files."""

    within: Mapping[str, Joins]
    used: Counter[str]
    used_outside: Mapping[str, int]
    related: Mapping[str, Mapping[str, float]]


def _ties(named: Mapping[str, Part], joins: Joins) -> _Ties:
    holder = {file.path: name for name, part in named.items() for file in part.files}
    within: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    outside: Counter[str] = Counter()
    related: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    sources = [(one, two, weight) for one, two, weight in joins if one in holder and two in holder]
    for one, two, weight in sources:
        here, there = holder[one], holder[two]
        if here == there:
            within[here].append((one, two, weight))
        else:
            outside[two] += 1
            related[here][there] += weight
            related[there][here] += weight
    return _Ties(within, importers(sources), outside, related)


def _own_imports(project: ProjectView, found: Sequence[Manifest]) -> frozenset[str]:
    """The names by which the project's own code may be imported."""
    names = {manifest.name for manifest in found}
    for file in project.files:
        names.update(file.path.removeprefix("src/").split("/")[:-1])
        if file.language == "python":
            names.add(file.path.rpartition("/")[2].removesuffix(".py"))
    return frozenset(names)
