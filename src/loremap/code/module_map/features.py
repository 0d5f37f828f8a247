"""Files of one feature that lie in folders of different kinds: `routes/auth`, `models/auth`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from loremap.code.module_map.flat_folders import is_generic, stem
from loremap.code.module_map.grouping import Part
from loremap.code.module_map.project_view import ProjectFile

KIND_FOLDERS = frozenset(
    "api controllers controller services service models model routes route routers handlers "
    "handler middleware middlewares stores store views view pages screens hooks components "
    "repositories repository resolvers serializers schemas schema entities dto dtos policies "
    "jobs workers mailers composables slices reducers actions forms validators queries "
    "endpoints providers guards".split()
)
"""Folders called after what kind of file lies in them, whatever it is about."""

_KIND_WORDS = frozenset(
    word for name in KIND_FOLDERS for word in (name, name.removesuffix("s"))
) | frozenset({"spec", "page", "ctrl", "repo", "impl", "module", "client", "use", "util", "utils"})
_FEWEST_KINDS = 3


def feature_of(path: str) -> str:
    """What a file is about by its name: `auth` for `stores/auth-store.ts`, `AuthController.php`."""
    name = path.rpartition("/")[2].rsplit(".", 1)[0]
    pieces = [piece.lower() for piece in re.split(r"[._\-]|(?<=[a-z0-9])(?=[A-Z])", name) if piece]
    telling = [piece for piece in pieces if piece not in _KIND_WORDS]
    return "_".join(telling)


def is_of_kind(path: str) -> bool:
    """Whether the folder that holds a file is called after a kind of file."""
    return path.rpartition("/")[0].rpartition("/")[2].lower() in KIND_FOLDERS


def says_same(one: str, other: str) -> bool:
    """Whether two names mean one thing: `auth` and `authentication`, `user` and `users`."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    if short == long:
        return True
    return (
        len(short) >= 4
        and long.startswith(short)
        and (len(short) >= 6 or long.removeprefix(short) in _ENDINGS)
    )


_ENDINGS = frozenset({"s", "es", "entication", "orization", "ication", "ing", "er", "ment"})


def with_features(
    found: Sequence[Part],
    names: Sequence[str],
    joins: Iterable[tuple[str, str, float]],
) -> list[Part]:
    """`found` with the files of each feature brought together.

    A file in a folder of kinds joins the part its name means, where its imports do not speak for
    another; where there is no such part and three kinds have a file of that name that import one
    another, these become a part.
    """
    near = _near(joins)
    holder = {file.path: index for index, part in enumerate(found) for file in part.files}
    moves: dict[str, int] = {}
    for feature, files in _by_feature(found).items():
        target = _part_named(feature, names, found)
        if target is not None:
            same = {file.path for file in files}
            lenient = len({path.rpartition("/")[0] for path in same}) > 1
            for path in sorted(same):
                others = {other: near[path][other] for other in near[path] if other not in same}
                if _agrees(others, target, home=holder[path], holder=holder, lenient=lenient):
                    moves[path] = target
    moved = [
        Part(
            part.folder,
            (
                *(file for file in part.files if moves.get(file.path, index) == index),
                *(
                    file
                    for other in found
                    for file in other.files
                    if moves.get(file.path) == index and holder[file.path] != index
                ),
            ),
            part.label,
        )
        for index, part in enumerate(found)
    ]
    return _with_new_features([part for part in moved if part.files], near, taken=set(moves))


def _with_new_features(
    found: Sequence[Part], near: Mapping[str, Mapping[str, float]], *, taken: set[str]
) -> list[Part]:
    fresh: dict[str, list[ProjectFile]] = {}
    holder = {file.path: index for index, part in enumerate(found) for file in part.files}
    for feature, files in _by_feature(found).items():
        layered: dict[str, list[ProjectFile]] = defaultdict(list)
        for file in files:
            if file.path not in taken:
                layered[_above_kind(file.path)].append(file)
        for left in layered.values():
            if len({holder[file.path] for file in left}) > 1 and _is_feature(left, near):
                fresh.setdefault(feature, []).extend(left)
    gone = {file.path for files in fresh.values() for file in files}
    kept = [
        Part(part.folder, tuple(file for file in part.files if file.path not in gone), part.label)
        for part in found
    ]
    made = [Part("", tuple(files), feature) for feature, files in sorted(fresh.items())]
    return [part for part in kept if part.files] + made


def _above_kind(path: str) -> str:
    """The folder that holds the folders of kinds: `src` for `src/routes/auth.ts`."""
    return path.rpartition("/")[0].rpartition("/")[0]


def _is_feature(files: Sequence[ProjectFile], near: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether files of one name, in folders of kinds side by side, import one another."""
    own = {file.path for file in files}
    joined = sum(1 for path in own for other in near.get(path, {}) if other in own) // 2
    return len({path.rpartition("/")[0] for path in own}) >= _FEWEST_KINDS and joined >= 2


def _by_feature(found: Sequence[Part]) -> dict[str, list[ProjectFile]]:
    groups: dict[str, list[ProjectFile]] = defaultdict(list)
    for part in found:
        for file in part.files:
            feature = feature_of(file.path) if is_of_kind(file.path) else ""
            if feature and not is_generic(feature) and stem(file.path) != "index":
                groups[feature].append(file)
    return dict(sorted(groups.items()))


def _part_named(feature: str, names: Sequence[str], found: Sequence[Part]) -> int | None:
    """The one part whose last name means `feature` and that is not itself a folder of kinds."""
    fit = [
        index
        for index, name in enumerate(names)
        if says_same(feature, name.rpartition(".")[2])
        and found[index].folder.rpartition("/")[2].lower() not in KIND_FOLDERS
    ]
    return fit[0] if len(fit) == 1 else None


def _agrees(
    joined: Mapping[str, float],
    target: int,
    *,
    home: int,
    holder: Mapping[str, int],
    lenient: bool,
) -> bool:
    """Whether a file's imports speak for `target`; if `lenient`, whether for no other more."""
    towards: dict[int, float] = defaultdict(float)
    for other, weight in joined.items():
        if other in holder and holder[other] != home:
            towards[holder[other]] += weight
    if lenient:
        return towards[target] >= max(towards.values(), default=0.0)
    return towards[target] > 0 and towards[target] >= 0.5 * sum(towards.values())


def _near(joins: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    near: dict[str, dict[str, float]] = defaultdict(dict)
    for one, two, weight in joins:
        near[one][two] = near[one].get(two, 0.0) + weight
        near[two][one] = near[two].get(one, 0.0) + weight
    return near
