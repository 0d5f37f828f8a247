"""Which files make a module, and what it is called."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from map_tools import file, named, names, project

from loremap.code.module_map import ProjectFile, is_source, mapped
from loremap.code.module_map.communities import communities
from loremap.code.module_map.features import feature_of, says_same
from loremap.code.module_map.folders import plain_name, unique_names


def tree(*folders: str, count: int = 4, ending: str = "py") -> list[str]:
    """Some files in each folder."""
    return [f"{folder}/part{index}.{ending}" for folder in folders for index in range(count)]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        # `src/<package>` leads to the product and is not said
        (tree("src/shop/cart", "src/shop/orders"), ["cart", "orders"]),
        # the package's own files are the product
        (
            [*tree("src/shop/cart", "src/shop/orders"), "src/shop/app.py", "src/shop/main.py"],
            ["cart", "orders", "shop"],
        ),
        # a workspace: `packages` is not said, a package's `src` neither
        (tree("packages/web/src", "packages/api/src", ending="ts"), ["api", "web"]),
        # Java's chain of folders
        (
            tree(
                "src/main/java/com/acme/shop/cart", "src/main/java/com/acme/shop/pay", ending="java"
            ),
            ["cart", "pay"],
        ),
        # examples stay one module however deep they are
        (
            [*tree("shop/cart", "shop/orders"), *tree("examples/a/x", "examples/b/y")],
            ["cart", "examples", "orders"],
        ),
        # a folder of one short file belongs to the one above
        ([*tree("shop/cart", "shop/orders"), "shop/cart/tax/rates.py"], ["cart", "orders"]),
        # migrations belong to what they migrate
        ([*tree("shop/cart", "shop/orders"), *tree("shop/cart/migrations")], ["cart", "orders"]),
        # build scripts and settings at the root
        (
            [*tree("src/shop/cart", "src/shop/orders"), "setup.py", "noxfile.py", "conf.py"],
            ["cart", "orders", "tooling"],
        ),
        # a project whose code lies at its root
        (["app.py", "models.py", "views.py", *tree("cart")], ["cart", "shop"]),
        ([], []),
        (["app.py"], ["shop"]),
    ],
)
def test_folders_become_modules(files: list[str], wanted: list[str]) -> None:
    assert names(mapped(project(files))) == wanted


def test_a_large_folder_is_split_and_its_modules_are_qualified() -> None:
    big = [file(path, lines=900) for path in tree("shop/db/models", "shop/db/backends", count=8)]
    small = tree("shop/forms", "shop/http", "shop/mail", "shop/urls")
    assert names(mapped(project([*big, *map(file, small)]))) == [
        "db.backends",
        "db.models",
        "forms",
        "http",
        "mail",
        "urls",
    ]


def test_many_small_brothers_stay_together() -> None:
    adapters = [f"src/adapter/{name}/index.ts" for name in "abcdefghijklmnop"]
    found = mapped(project([*adapters, *tree("src/router", "src/client", ending="ts")]))
    assert names(found) == ["adapter", "client", "router"]


def test_a_manifest_makes_a_module_of_its_own() -> None:
    files = [
        *tree("packages/core/src", count=12, ending="ts"),
        *tree("packages/tiny", count=3, ending="ts"),
    ]
    found = mapped(project(files, texts={"packages/tiny/package.json": "{}"}))
    assert names(found) == ["core", "tiny"]


def test_a_django_app_is_a_module() -> None:
    apps = [
        f"shop/contrib/{app}/{name}.py"
        for app in ("sites", "flat")
        for name in ("apps", "models", "views")
    ]
    found = mapped(
        project([*apps, *tree("shop/contrib/admin", count=40), *tree("shop/core", count=9)])
    )
    assert {"contrib.sites", "contrib.flat", "contrib.admin", "core"} <= set(names(found))


AUTH = [
    "src/auth/config.ts",
    "src/auth/tokens.ts",
    "src/auth/session.ts",
    "src/middleware/auth.ts",
    "src/routes/auth.ts",
    "src/stores/auth-store.ts",
    "src/middleware/log.ts",
    "src/middleware/cors.ts",
    "src/routes/cart.ts",
    "src/routes/pay.ts",
    "src/stores/cart-store.ts",
    "src/stores/ui-store.ts",
]
AUTH_IMPORTS = [
    ("src/middleware/auth.ts", "src/auth/tokens.ts"),
    ("src/routes/auth.ts", "src/auth/tokens.ts"),
    ("src/routes/auth.ts", "src/middleware/auth.ts"),
]


def test_files_elsewhere_join_the_module_their_name_means() -> None:
    found = named(mapped(project(AUTH, imports=AUTH_IMPORTS)), "auth")
    assert set(found.core_files) == set(AUTH[:6])


def test_a_name_alone_does_not_move_a_file_whose_imports_speak_for_another() -> None:
    files = [
        *tree("shop/cache", "shop/http"),
        "shop/middleware/cache.py",
        "shop/middleware/csrf.py",
        "shop/middleware/gzip.py",
        "shop/middleware/flash.py",
    ]
    imports = [("shop/middleware/cache.py", f"shop/http/part{index}.py") for index in range(3)]
    imports.append(("shop/middleware/cache.py", "shop/cache/part0.py"))
    found = named(mapped(project(files, imports=imports)), "middleware")
    assert "shop/middleware/cache.py" in found.core_files


def test_a_feature_spread_over_kinds_is_a_module() -> None:
    kinds = ("controllers", "models", "routes", "services")
    files = [f"src/{kind}/{name}.js" for kind in kinds for name in ("user", "order", "mail")]
    imports = [
        (f"src/{one}/user.js", f"src/{two}/user.js")
        for one, two in (
            ("routes", "controllers"),
            ("controllers", "services"),
            ("services", "models"),
        )
    ]
    found = named(mapped(project(files, imports=imports)), "user")
    assert set(found.core_files) == {f"src/{kind}/user.js" for kind in kinds}


def test_a_large_flat_folder_is_split_by_imports() -> None:
    groups = {"pay": range(14), "ship": range(14), "stock": range(14)}
    files = [f"shop/{name}_{index}.py" for name, indexes in groups.items() for index in indexes]
    imports = [
        (f"shop/{name}_{index}.py", f"shop/{name}_{index - 1}.py")
        for name, indexes in groups.items()
        for index in indexes
        if index
    ]
    found = mapped(project([*files, "shop/__init__.py"], imports=imports))
    assert {"pay", "ship", "stock"} <= set(names(found))


def test_a_folder_of_unrelated_things_stays_whole() -> None:
    files = [*tree("shop/utils", count=50), *tree("shop/core", count=9)]
    assert "utils" in names(mapped(project(files)))
    assert not any(name.startswith("utils.") for name in names(mapped(project(files))))


def test_tests_and_generated_files_are_in_no_module() -> None:
    files = [
        *tree("src/shop/cart"),
        "tests/test_cart.py",
        "src/shop/cart/api_pb2.py",
        "src/shop/vendor/lib.py",
    ]
    assert [len(module.core_files) for module in mapped(project(files)).modules] == [4]


SEGMENT = st.sampled_from(
    [
        "src",
        "lib",
        "app",
        "auth",
        "api",
        "core",
        "utils",
        "packages",
        "shop",
        "models",
        "routes",
        "tests",
        "examples",
        "a",
        "b",
        "db",
        "Straße",
        "x y",
        "migrations",
    ]
)
PATH = st.builds(
    lambda folders, name, ending: "/".join([*folders, f"{name}.{ending}"]),
    st.lists(SEGMENT, max_size=5),
    st.sampled_from(["__init__", "index", "main", "auth", "auth-store", "user", "a", "b_c", "c"]),
    st.sampled_from(["py", "ts", "go", "rs"]),
)


@settings(max_examples=150, deadline=None)
@given(st.sets(PATH, max_size=90), st.randoms(use_true_random=False), st.integers(0, 3000))
def test_any_tree_is_parted(paths: set[str], random: object, lines: int) -> None:
    ordered = sorted(paths)
    choose = random.choice  # type: ignore[attr-defined]
    imports = [(choose(ordered), choose(ordered)) for _ in range(2 * len(ordered))]
    view = project([file(path, lines=lines) for path in ordered], imports=imports)
    found = mapped(view)
    placed = [path for module in found.modules for path in module.core_files if path[-1] != "/"]
    assert sorted(placed) == [path for path in ordered if is_source(path)]
    called = [module.name.casefold() for module in found.modules]
    assert len(set(called)) == len(called)
    assert all(called)
    again = project([file(path, lines=lines) for path in reversed(ordered)], imports=imports[::-1])
    assert mapped(again).modules == found.modules


def test_a_huge_project_has_at_most_about_sixty_modules() -> None:
    files = [
        f"f{one}/g{two}/h{three}.py" for one in range(80) for two in range(5) for three in range(6)
    ]
    assert 20 <= len(mapped(project(files)).modules) <= 62


@pytest.mark.parametrize(
    ("path", "feature"),
    [
        ("stores/auth-store.ts", "auth"),
        ("controllers/AuthController.php", "auth"),
        ("routes/user.routes.ts", "user"),
        ("hooks/useCart.ts", "cart"),
        ("services/order_item_service.py", "order_item"),
        ("models/model.py", ""),
    ],
)
def test_what_a_file_is_about(path: str, feature: str) -> None:
    assert feature_of(path) == feature


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("auth", "authentication", True),
        ("user", "users", True),
        ("config", "configuration", True),
        ("auth", "author", False),
        ("api", "apis", False),
        ("cart", "cart", True),
        ("car", "cart", False),
    ],
)
def test_names_that_mean_one_thing(one: str, other: str, same: bool) -> None:
    assert says_same(one, other) is same
    assert says_same(other, one) is same


@pytest.mark.parametrize(
    ("segments", "wanted"),
    [
        ([("db", "models"), ("a", "b", "c", "db", "models")], ["db.models", "b.c.db.models"]),
        ([("a", *"wxyz"), ("b", *"wxyz")], ["a.w.x.y.z", "b.w.x.y.z"]),
        ([(), ("cart",)], ["shop", "cart"]),
        ([("lib",), ("lib",)], ["0.lib", "1.lib"]),
    ],
)
def test_names_are_as_long_as_needed(segments: list[tuple[str, ...]], wanted: list[str]) -> None:
    whole = [(str(index), *parts) for index, parts in enumerate(segments)]
    assert unique_names(segments, whole, fallback="shop") == wanted


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("_pytest", "pytest"),
        ("Flask", "flask"),
        ("@hono/node-server", "nodeserver"),
        ("chart.js", "chart"),
        ("python-slugify", "slugify"),
    ],
)
def test_a_package_called_as_its_project(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_communities_are_the_same_each_time() -> None:
    ring = {
        (f"{group}{index}", f"{group}{(index + 1) % 5}"): 1.0
        for group in "ab"
        for index in range(5)
    }
    joins = ring | {("a0", "b0"): 0.5}
    nodes = [f"{group}{index}" for group in "ab" for index in range(5)]
    wanted = [[f"a{index}" for index in range(5)], [f"b{index}" for index in range(5)]]
    assert communities(nodes, joins) == wanted
    assert communities(reversed(nodes), dict(reversed(joins.items()))) == wanted


def test_no_files_at_all() -> None:
    assert mapped(project(list[ProjectFile]())).modules == ()
