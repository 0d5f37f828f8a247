"""Which names are one."""

from __future__ import annotations

import pytest

from loremap.model.entity import EntityKind, entity_key, keys_of, role_of


@pytest.mark.parametrize(
    "names",
    [
        ("React", "React.js", "ReactJS", "react-js", "react.js", "the React"),
        ("Next.js", "NextJS", "nextjs"),
        ("discord.py library".removesuffix(" library").replace(".", "-"), "discord"),
        ("user_service", "UserService", "user-service", "user service", "`user_service`"),
        ("date-fns", "datefns", "date_fns"),
        ("worker", "workers", "the workers"),
        ("build_index()", "build_index"),
        ("Zoë", "zoe"),
        ("Washington, D.C.", "Washington DC"),
    ],
)
def test_names_of_one_thing(names: tuple[str, ...]) -> None:
    assert len({entity_key(name) for name in names}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Python 3.11", "Python 31.1"),
        ("C", "C++"),
        ("C#", "C++"),
        ("src/auth/user.py", "src/auth/users.py"),
        ("config.py", "config"),
        ("class", "clas"),
        ("Redis", "Redi"),
        ("NumPy", "num"),
    ],
)
def test_names_of_two_things(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("the payments service", ["paymentsservice", "payment"]),
        ("payments", ["payment"]),
        ("service", ["service"]),
        ("…", []),
    ],
)
def test_keys_from_the_fullest(name: str, keys: list[str]) -> None:
    assert keys_of(name) == keys


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("payments service", EntityKind.SERVICE),
        ("billing module", EntityKind.MODULE),
        ("Sarah", None),
    ],
)
def test_what_a_name_says_it_is(name: str, kind: EntityKind | None) -> None:
    assert role_of(name) is kind
