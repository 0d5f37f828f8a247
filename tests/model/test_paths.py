"""What a path alone says of a file."""

from __future__ import annotations

import pytest

from loremap.model.paths import is_beside_path, is_generated_path, is_test_path, is_vendored_path


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/queries/models.py", True),
        ("pkg/core/tests/helper.py", True),
        ("testing/acceptance.py", True),
        ("test/helpers.js", True),
        ("lib/test/fixture.rb", True),
        ("pkg/test/client.py", False),  # a package that helps to test is what users import
        ("pkg/testing/decorators.py", False),
        ("pkg/test/test_client.py", True),
        ("pkg/core/management/commands/test.py", False),
        ("app/tests.py", True),
        ("conftest.py", True),
        ("src/latest_version.py", False),
        ("src/contest.py", False),
        ("pkg/hugo_test.go", True),
        ("pkg/hugo.go", False),
        ("pkg/attest.go", False),
        ("pkg/testdata/a.go", True),
        ("src/router.test.ts", True),
        ("src/router.spec.tsx", True),
        ("src/__tests__/router.tsx", True),
        ("src/spectrum.ts", False),
        ("src/main/java/org/Latest.java", False),
        ("src/test/java/org/Base.java", True),
        ("src/commonTest/kotlin/Base.kt", True),
        ("src/main/java/org/OwnerTest.java", True),
        ("src/Audit.java", False),
        ("src/main/java/org/JobSpec.java", False),  # what a job is like
        ("src/JobSpec.scala", True),
        ("Sources/AppTests.swift", True),
        ("spec/models/user.rb", True),
        ("lib/user_spec.rb", True),
        ("script.bats", True),
        ("runtime-tests/node/index.ts", True),
        ("src/_pytest/main.py", False),
        ("README.md", False),
    ],
)
def test_tests_are_known_by_folder_or_name(path: str, is_test: bool) -> None:
    assert is_test_path(path) is is_test


@pytest.mark.parametrize(
    ("path", "is_generated"),
    [
        ("static/jquery.min.js", True),
        ("api/user_pb2.py", True),
        ("api/user.pb.go", True),
        ("api/User.g.cs", True),
        ("pkg/kind_string.go", True),
        ("pkg/zz_generated.deepcopy.go", True),
        ("src/__generated__/schema.ts", True),
        ("dist/index.js", True),
        ("web/dist/index.js", True),
        ("target/debug/build.rs", True),
        ("package-lock.json", True),
        ("build/build.ts", False),  # scripts that build, written by people
        ("src/fields/generated.py", False),
        ("src/generate.py", False),
        ("src/distance.py", False),
        ("src/minimum.js", False),
        ("cmd/target/main.go", False),
    ],
)
def test_generated_files_are_known(path: str, is_generated: bool) -> None:
    assert is_generated_path(path) is is_generated


@pytest.mark.parametrize(
    ("path", "is_vendored"),
    [
        ("node_modules/react/index.js", True),
        ("web/node_modules/react/index.js", True),
        ("vendor/github.com/a/b.go", True),
        ("pip/_vendor/idna/core.py", True),
        ("third_party/zlib/inflate.c", True),
        ("lib/python3.11/site-packages/a.py", True),
        ("src/vendors.py", False),
        ("src/vendor.ts", False),
        ("app/models/vendor.rb", False),
    ],
)
def test_vendored_files_are_known(path: str, is_vendored: bool) -> None:
    assert is_vendored_path(path) is is_vendored


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("bench/run.py", True),
        ("docs/conf.py", True),
        (".github/check.py", True),
        ("src/docs/a.py", False),
        ("scripts.py", False),
        ("app/examples/a.py", False),
    ],
)
def test_what_lies_beside_the_product(path: str, beside: bool) -> None:
    assert is_beside_path(path) is beside
