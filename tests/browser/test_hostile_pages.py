"""What a web page can do in the browser of a user whose resident speaks HTTP: nothing."""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from installation import Installation, calling
from wire import EVIL, HOSTILE, SCRIPT, Exchange, Wire

from loremap.interfaces.http.guard import COOKIE, NO_TOKEN, WRONG_HOST, WRONG_ORIGIN, Refusal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ATTACKS = re.findall(r"^  '(.+)':", SCRIPT.partition("const attacks = {")[2], re.MULTILINE)
PATHS = ("/", "/mcp", "/mcp/", "/sse", "/favicon.ico", "/.well-known/oauth-protected-resource")
LET_IN = "JSON, preflighted"
ARRIVES_SECONDS = 5.0
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "page", "version": "1"},
    },
}


@dataclass(frozen=True)
class Place:
    """Where a page comes from, by what name it asks for us, and how it is refused."""

    page: str
    asks: str
    refusal: Refusal
    reads_refusal: bool = False


PLACES = {
    "of another site": Place(f"http://{EVIL}:{{site}}{HOSTILE}", "localhost", WRONG_ORIGIN),
    "of another port": Place(f"http://localhost:{{site}}{HOSTILE}", "localhost", WRONG_ORIGIN),
    "of the network": Place(f"http://{EVIL}:{{site}}{HOSTILE}?public", "127.0.0.1", WRONG_ORIGIN),
    # Its name led to its own server first and leads here now, so that to the browser we are it.
    "that was rebound": Place(
        f"http://{EVIL}:{{wire}}{HOSTILE}", EVIL, WRONG_HOST, reads_refusal=True
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_page_reaches_nothing(
    installation: Installation, wire: Wire, site: int, browser: Browser, place: Place
) -> None:
    before = installation.rows()
    page = signed_in(browser, installation)
    page.goto(place.page.format(site=site, wire=wire.port))
    faults = {}
    for name in ATTACKS:
        mark = f"mark{secrets.token_hex(4)}"
        told = json.dumps(calling("remember", content=f"Tell all to the kittens {mark}"))
        url = f"http://{place.asks}:{wire.port}/mcp?{mark}"
        got = page.evaluate("all => attacked(...all)", [name, url, told, f"http://{EVIL}:{site}"])
        seen = arrived(wire, mark)
        if found := [*_learned(got, place), *_done(seen, place, installation)]:
            faults[name] = found
    page.context.close()
    assert faults == {}
    assert installation.rows() == before


def test_no_path_is_open_to_a_page(
    installation: Installation, wire: Wire, site: int, browser: Browser
) -> None:
    page = signed_in(browser, installation)
    page.goto(f"http://localhost:{site}{HOSTILE}")
    wire.seen.clear()
    for path in PATHS:
        at = f"http://localhost:{wire.port}{path}"
        for name in ("fetch with credentials", "JSON without a type", "a frame"):
            assert page.evaluate("all => attacked(...all)", [name, at, "{}"])["learned"] == ""
    page.context.close()
    assert len(wire.seen) == 3 * len(PATHS)
    assert {exchange.status for exchange in wire.seen} == {WRONG_ORIGIN.status}


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("localhost", NO_TOKEN),
        ("127.0.0.1", NO_TOKEN),
        ("2130706433", NO_TOKEN),  # the browser itself makes 127.0.0.1 of it
        (EVIL, WRONG_HOST),
        ("evil.localhost", WRONG_HOST),
        ("localhost.", WRONG_HOST),
        ("[::ffff:127.0.0.1]", WRONG_HOST),
        ("0.0.0.0", WRONG_HOST),
    ],
)
def test_an_address_that_is_opened_shows_nothing(
    installation: Installation, browser: Browser, name: str, refusal: Refusal
) -> None:
    page = browser.new_page()
    answer = page.goto(f"http://{name}:{installation.port}/mcp")
    assert answer is not None
    assert (answer.status, page.inner_text("body").strip()) == refusal
    page.close()


def test_a_page_of_our_own_needs_the_cookie(
    installation: Installation, wire: Wire, browser: Browser
) -> None:
    def learned(page: Page) -> str:
        page.goto(f"http://localhost:{wire.port}{HOSTILE}")
        at = f"http://localhost:{wire.port}/mcp"
        got = page.evaluate("all => attacked(...all)", [LET_IN, at, json.dumps(HELLO)])
        page.context.close()
        return str(got["learned"])

    assert learned(browser.new_page()) == f"{NO_TOKEN.status} {NO_TOKEN.says}\n"
    # With it, the very script that learned nothing elsewhere is answered and reads the answer.
    said = learned(signed_in(browser, installation))
    assert said.startswith("200 ")
    assert '"serverInfo"' in said


def test_the_same_request_of_the_user_is_answered(installation: Installation, wire: Wire) -> None:
    """What no page could do, by a plain client with the right name and the token."""
    before = installation.rows()["memories"]
    status, said = installation.ask(
        wire.port, calling("remember", content="Kittens like warm milk")
    )
    assert (status, wire.seen[-1].status) == (200, 200), said
    assert len(installation.rows()["memories"]) == len(before) + 1
    status, said = installation.ask(wire.port, calling("recall", query="when does the door open?"))
    assert status == 200
    assert installation.secret in said.decode()


def signed_in(browser: Browser, installation: Installation) -> Page:
    """A page of a user whose browser holds the token, which other ports of this machine get too."""
    context = browser.new_context()
    context.add_cookies(
        [
            {
                "name": COOKIE,
                "value": installation.token,
                "domain": name,
                "path": "/",
                "httpOnly": True,
            }
            for name in ("localhost", "127.0.0.1")
        ]
    )
    return context.new_page()


def arrived(wire: Wire, mark: str) -> list[Exchange]:
    """The exchanges of one attack; some are sent after the page has gone on."""
    until = time.monotonic() + ARRIVES_SECONDS
    while True:
        found = [each for each in wire.seen if mark in unquote(each.target)]
        if found or time.monotonic() > until:
            return found
        time.sleep(0.01)


def _learned(got: dict[str, object], place: Place) -> list[str]:
    """What a page learned that it should not."""
    status, says = place.refusal
    known = ("", f"{status} {says}", str(status), says) if place.reads_refusal else ("",)
    learned = str(got["learned"]).strip()
    faults = [] if learned in known else [f"it read {learned}"]
    measured = got["measured"]
    assert isinstance(measured, list)
    if not set(measured) <= ({0, status} if place.reads_refusal else {0}):
        faults.append(f"it was told {measured}")
    return faults


def _done(seen: list[Exchange], place: Place, installation: Installation) -> list[str]:
    """What was done for a page that should not have been."""
    faults = [] if seen else ["nothing arrived, so nothing is shown"]
    for each in seen:
        if each.status != place.refusal.status or installation.secret.encode() in each.answer:
            faults.append(f"{each.method} was answered with {each.status}: {each.answer!r}")
        if any(name.lower().startswith("access-control") for name, _ in each.answer_headers):
            faults.append(f"{each.method} was allowed something: {each.answer_headers}")
    if len(methods := {each.method for each in seen}) > 1:
        faults.append(f"it was not stopped by the answer to its preflight: {methods}")
    return faults
