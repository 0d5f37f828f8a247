"""The official conformance suite, in the scenarios that ask nothing but what every server has.

The others want the tools of the reference server by their names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_server import Server, served
from node_tools import CONFORMANCE, command, ran

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.http.guard import ASGIApp, Receive, Scope, Send
from loremap.interfaces.mcp.serve import http_app
from loremap.memory.workspaces import Workspaces

pytestmark = [pytest.mark.agents, pytest.mark.timeout(1200)]

TOKEN = "t0ken-of-" + "the-suite"
HANDSHAKE = ("server-initialize", "server-session-lifecycle", "ping")
LISTS = ("tools-list", "resources-list", "prompts-list", "completion-complete")
SCENARIOS = {
    "2025-06-18": (*HANDSHAKE, *LISTS),
    "2025-11-25": (
        *HANDSHAKE,
        *LISTS,
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
    ),
    "2026-07-28": (
        *LISTS,
        "server-stateless",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
        "caching",
        "http-header-validation",
        "sep-2164-resource-not-found",
        "input-required-result-unsupported-methods",
    ),
}


def forwarding(app: ASGIApp, **headers: str) -> ASGIApp:
    """`app` behind a forwarder that adds the headers which the suite cannot be told to send."""
    added = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

    async def forward(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], *added]}
        await app(scope, receive, send)

    return forward


@pytest.fixture
def server(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> Iterator[Server]:
    """The app as it is on a port, for one project."""
    app = http_app(workspaces, session_agent, token=TOKEN)
    headers = {"authorization": f"Bearer {TOKEN}", "x_loremap_folder": str(project)}
    with served(forwarding(app, **headers)) as server:
        yield server


@pytest.mark.parametrize("version", SCENARIOS)
def test_generic_scenarios_pass(server: Server, tmp_path: Path, version: str) -> None:
    start = (*command(CONFORMANCE), "server", "--url", f"http://127.0.0.1:{server.port}/mcp")
    for scenario in SCENARIOS[version]:
        results = tmp_path / scenario
        more = ("--spec-version", version, "-o", str(results))
        done = ran((*start, "--scenario", scenario, *more), home=tmp_path / "node-home")
        checks = checked(results)
        assert any(check["status"] == "SUCCESS" for check in checks), done.stdout + done.stderr
        failed = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
        # Some checks call a tool of the reference server, and say so where there is none.
        wrong = [check for check in failed if not check.get("details", {}).get("untestable")]
        assert not wrong, (scenario, wrong)


def checked(results: Path) -> list[dict[str, Any]]:
    """What a run found, as it wrote it down."""
    found = sorted(results.rglob("checks.json"))
    assert len(found) == 1, sorted(results.rglob("*"))
    return list(json.loads(found[0].read_text("utf-8")))
