"""A browser that a user has open, an installation of theirs, and a hostile site to visit."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from chromium import installed
from installation import Installation, lived_in
from wire import EVIL, Wire, hostile_site, wire_to

WITHOUT = "LocalNetworkAccessChecks,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable"
"""What newer browsers do to keep pages away from us: other and older ones do not, so that it is
not to be leaned on."""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with a memory in it."""
    with lived_in(tmp_path_factory.mktemp("installation"), encrypted=False) as installation:
        yield installation


@pytest.fixture(scope="module")
def wire(installation: Installation) -> Iterator[Wire]:
    """A port that leads to the installation's, on which all that passes is noted."""
    with wire_to(installation.port) as wire:
        yield wire


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    """The port of a hostile site."""
    with hostile_site() as port:
        yield port


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """A Chromium without a window; it ends with the tests of a file."""
    from playwright.sync_api import sync_playwright

    found = installed()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=found.program,
            env={**os.environ, **found.environment},
            args=[f"--host-resolver-rules=MAP {EVIL} 127.0.0.1", f"--disable-features={WITHOUT}"],
            timeout=30_000,
        )
        yield started
        started.close()
