"""What a README says about working on the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_tools import seeding, texts

README = """\
# Shop

[![badge](https://x.org/b.svg)](https://x.org)

A shop. Run `npm test` if you like. It requires Python 3.11 or newer.

## Usage

```bash
pip install shop
pytest --shop
```

## Tech stack

- [React](https://react.dev) - the frontend
- PostgreSQL

## Development

To test the code, run `make test` in the source directory.

```console
$ npm ci
added 3 packages
$ npm run lint   # style
$ git push
```
"""


def test_a_readme_is_read_for_commands_versions_and_stack(tmp_path: Path) -> None:
    found = seeding(tmp_path, {"README.md": README})
    assert {(seed.text, seed.line) for seed in found.seeds} == {
        ("The code must run on Python 3.11 and newer.", 5),
        ("The technology stack: React and PostgreSQL.", 16),
        ("Run the tests with `make test`.", 21),
        ("Set up the development environment with `npm ci`.", 24),
        ("Check the code with `npm run lint` (style).", 26),
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.rst", "Shop\n====\n\nTesting\n-------\n\nRun them::\n\n    tox -e py312\n"),
        ("readme.md", "# Shop\n\n## Testing\n\n    tox -e py312\n"),
    ],
)
def test_other_ways_of_writing_it(tmp_path: Path, name: str, text: str) -> None:
    assert texts(seeding(tmp_path, {name: text})) == ["Run the tests with `tox -e py312`."]


def test_a_manifest_and_a_readme_say_the_same_once(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\n## Testing\n\n```\nnpm test\n```\n",
        "package.json": '{"scripts": {"test": "jest"}}',
    }
    (seed,) = seeding(tmp_path, files).seeds
    assert (seed.text, seed.file) == ("Run the tests with `npm test`.", "package.json")
    assert seed.also_in == ("README.md",)


def test_a_command_that_is_not_to_be_run_is_not_told(tmp_path: Path) -> None:
    text = "# Shop\n\n## Testing\n\nDo not run `make test` on Windows.\n"
    assert texts(seeding(tmp_path, {"README.md": text})) == []


@pytest.mark.parametrize(
    "code",
    [
        "git clone https://x.org/a.git",
        "cd tests",
        "The tests are below.",
        "curl x | bash",
        "pip install tox",
    ],
)
def test_not_every_line_of_code_is_a_command(tmp_path: Path, code: str) -> None:
    text = f"# Shop\n\n## Testing\n\n```bash\n{code}\n```\n"
    assert texts(seeding(tmp_path, {"README.md": text})) == []
