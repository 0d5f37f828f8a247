"""What a README says about working on the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_tools import seeding

README = """\
# Shop

[![badge](https://x.org/b.svg)](https://x.org)

A shop. It requires Python 3.11 or newer.

## Tech stack

- [React](https://react.dev) - the frontend

## Development

Always run `make test`.

```console
$ npm run lint
```
"""


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("README.md", README, 5),
        ("README.rst", "Shop\n====\n\nIt needs Python 3.11 or later.\n", 4),
    ],
)
def test_a_readme_is_read_for_versions_only(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    found = seeding(tmp_path, {name: text})
    assert [(seed.text, seed.line) for seed in found.seeds] == [
        ("The code must run on Python 3.11 and newer.", line)
    ]
