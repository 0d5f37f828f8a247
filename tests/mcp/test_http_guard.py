"""Who is let in over HTTP: as a table, and over real sockets."""

from __future__ import annotations

import json
import logging
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_server import ACCEPT, Server, Session, served
from mcp_wire import VERSIONS, request, said

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.http.guard import COOKIE, MAX_BODY_BYTES, refused
from loremap.interfaces.mcp import serve
from loremap.interfaces.mcp.catalogue import TOOLS
from loremap.interfaces.mcp.serve import http_app
from loremap.memory.workspaces import Workspaces

TOKEN = "t0ken-of-" + "the-user"
GOOD = {"host": "localhost:7777", "authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, None),
        ({"host": "127.0.0.1:7777"}, None),
        ({"host": "[::1]:7777"}, None),
        ({"host": "LocalHost:1"}, None),
        ({"host": "localhost"}, None),
        ({"origin": "http://localhost:7777"}, None),
        ({"origin": "http://127.0.0.1:7777"}, None),
        ({"origin": "http://[::1]:7777"}, None),
        ({"host": "localhost", "origin": "http://localhost"}, None),
        ({"sec-fetch-site": "same-origin"}, None),
        ({"sec-fetch-site": "none"}, None),
        ({"authorization": f"bearer {TOKEN}"}, None),
        ({"authorization": None, "cookie": f"a=b; {COOKIE}={TOKEN}"}, None),
        # DNS rebinding: the attacker's name now leads here, and the browser says so.
        ({"host": "evil.example:7777"}, 421),
        ({"host": "evil.example:7777", "origin": "http://evil.example:7777"}, 421),
        ({"host": "localhost.evil.example:7777"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "evil.example@localhost"}, 421),
        ({"host": "localhost@evil.example"}, 421),
        ({"host": "localhost#.evil.example"}, 421),
        ({"host": "localhost."}, 421),
        ({"host": "127.1"}, 421),
        ({"host": "0.0.0.0:7777"}, 421),
        ({"host": "2130706433"}, 421),
        ({"host": "[::]:7777"}, 421),
        ({"host": "[::ffff:127.0.0.1]"}, 421),
        ({"host": "localhost:port"}, 421),
        ({"host": "localhost:777777"}, 421),
        ({"host": " localhost"}, 421),
        ({"host": "loremap"}, 421),
        ({"host": ""}, 421),
        ({"host": None}, 421),
        ({"host": ["localhost", "evil.example"]}, 421),
        # Pages of other origins, other ports of this machine among them.
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "https://evil.example:7777"}, 403),
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "http://localhost"}, 403),
        ({"origin": "http://localhost:7777.evil.example"}, 403),
        ({"origin": "http://localhost:7777/"}, 403),
        ({"origin": "http://localhost.evil.example:7777"}, 403),
        ({"origin": "http://user@localhost:7777"}, 403),
        ({"origin": "file://"}, 403),
        ({"origin": "chrome-extension://localhost:7777"}, 403),
        ({"origin": "localhost:7777"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": ["http://localhost:7777", "http://evil.example"]}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),  # another port of localhost, no Origin on GET
        # The token.
        ({"authorization": None}, 401),
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": TOKEN}, 401),
        ({"authorization": "Bearer tökén"}, 401),
        ({"authorization": [f"Bearer {TOKEN}", "Bearer wrong"]}, 401),
        ({"authorization": None, "cookie": f"other={TOKEN}"}, 401),
        ({"authorization": None, "cookie": f"{COOKIE}=wrong"}, 401),
        ({"authorization": None, "cookie": f"{COOKIE}"}, 401),
        # Size.
        ({"content-length": str(MAX_BODY_BYTES)}, None),
        ({"content-length": str(MAX_BODY_BYTES + 1)}, 413),
        ({"content-length": "9" * 5_000}, 413),
        ({"content-length": "-1"}, 413),
    ],
)
def test_who_is_let_in(changed: dict[str, Any], status: int | None) -> None:
    sent = GOOD | changed
    headers = {
        name: value if isinstance(value, list) else [value]
        for name, value in sent.items()
        if value is not None
    }
    refusal = refused(headers, token=TOKEN)
    assert (None if refusal is None else refusal.status) == status
    if refusal is not None:
        assert "\n" not in refusal.says
        assert TOKEN not in refusal.says


@pytest.mark.parametrize(
    ("host", "status"),
    [("loremap", None), ("localhost", None), ("evil.example", 421), ("loremap.evil.example", 421)],
)
def test_the_unix_socket_needs_no_token(host: str, status: int | None) -> None:
    refusal = refused({"host": [host]}, token=None)
    assert (None if refusal is None else refusal.status) == status


@pytest.fixture
def server(workspaces: Workspaces[Lore], session_agent: SessionAgent) -> Iterator[Server]:
    """The app on a port, with a token."""
    with served(http_app(workspaces, session_agent, token=TOKEN)) as server:
        yield server


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Cookie": f"{COOKIE}={TOKEN}", "Origin": "http://localhost:1"}, 403),
    ],
)
def test_a_page_reaches_nothing(
    server: Server, headers: dict[str, str], status: int, caplog: pytest.LogCaptureFixture
) -> None:
    body = json.dumps(request(1, "tools/list", {}, version="2025-06-18")).encode()
    sent = {"Host": f"localhost:{server.port}", "Access-Control-Request-Method": "POST"} | headers
    with caplog.at_level(logging.DEBUG):
        for method in ("POST", "GET", "OPTIONS", "DELETE", "PUT"):
            for target in ("/mcp", "/", "/mcp/../mcp"):
                answer = server.ask(body, sent, method=method, target=target)
                assert answer.status == status
                assert answer.body.count(b"\n") <= 1
                assert not [name for name in answer.headers if name.startswith("access-control")]
                assert b"remember" not in answer.body
    assert TOKEN not in caplog.text


def test_a_token_in_the_address_is_worth_nothing_and_none_is_logged(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    host = {"Host": f"localhost:{server.port}"}
    body = json.dumps(request(1, "ping", {}, version="2025-06-18")).encode()
    with caplog.at_level(logging.DEBUG):
        assert server.ask(body, host, target="/mcp?token=of-the-user").status == 401
        Session(server, host | {"Authorization": f"Bearer {TOKEN}"}, "2025-06-18").begin()
        cookie = {"Cookie": f"{COOKIE}={TOKEN}", "Origin": f"http://localhost:{server.port}"}
        Session(server, host | cookie, "2025-06-18").begin()
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_answered_over_http(
    server: Server, project: Path, workspaces: Workspaces[Lore], version: str
) -> None:
    headers = GOOD | {"Host": f"127.0.0.1:{server.port}", "X-Loremap-Folder": str(project)}
    headers.pop("host")
    session = Session(server, headers, version)
    assert "Recall before work" in session.begin("codex-mcp-client")["instructions"]
    assert len(session.ask("tools/list")["result"]["tools"]) == len(TOOLS)
    session.call("remember", content="Builds need Java 21")
    result = session.call("recall", query="which Java do builds need?")
    assert "Java 21" in said(result)
    with workspaces.at(project) as lore:
        (memory,) = lore.list()
    client = "probe" if version == "2026-07-28" else "codex"
    assert memory.created_by == f"agent:{client}"
    told = memory.session_id
    assert told is None if version == "2026-07-28" else told and len(told) == len("http-") + 16
    if version != "2026-07-28":  # the same session is not told twice
        assert "again=true" in said(session.call("recall", query="which Java do builds need?"))


LONG = "/" + "A" * 5_000


def test_the_folder_of_a_session(server: Server, project: Path, tmp_path: Path) -> None:
    host = {"Host": f"localhost:{server.port}", "Authorization": f"Bearer {TOKEN}"}

    def status(**more: str) -> str:
        session = Session(server, host | more, "2025-11-25")
        session.begin()
        return said(session.call("memory", command="status")).splitlines()[0]

    in_project = Session(server, host | {"X-Loremap-Folder": str(project)}, "2025-11-25")
    in_project.begin()
    in_project.call("remember", content="Builds need Java 21")
    assert status(**{"X-Loremap-Folder": str(project)}) == "Memory of shop on main"
    assert status() == "Memory of no project"
    incognito = {"X-Loremap-Folder": str(project), "X-Loremap-Incognito": "1"}
    assert "incognito" in status(**incognito)
    for wrong in (str(tmp_path / "gone"), "shop", str(project / "auth" / "login.py"), "\\0", LONG):
        session = Session(server, host | {"X-Loremap-Folder": wrong}, "2025-11-25")
        session.begin()
        answer = session.ask("tools/call", {"name": "list", "arguments": {}})
        assert "X-Loremap-Folder names no folder" in answer["error"]["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
def test_the_unix_socket_is_served(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, tmp_path: Path
) -> None:
    path = tmp_path / "h.sock"
    with served(http_app(workspaces, session_agent, token=None), path=path) as server:
        session = Session(server, {"Host": "loremap"}, "2025-11-25")
        assert session.begin()["serverInfo"]["name"] == "loremap"
        assert server.ask(b"{}", {"Host": "evil.example"}).status == 421


def test_a_body_that_lies_about_its_size_is_cut_off(server: Server) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
        f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
        f"Accept: {ACCEPT}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as sock:
        sock.sendall(head.encode())
        try:
            for _ in range(2 + MAX_BODY_BYTES // 0x10000):
                sock.sendall(chunk)
        except ConnectionError:
            pass
        assert sock.recv(1000).startswith(b"HTTP/1.1 413")
    assert server.ask(b"{}", {"Host": "evil.example"}).status == 421


def test_clients_that_never_say_goodbye_lock_nobody_out(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "MAX_SESSIONS", 3)
    monkeypatch.setattr(serve, "OPENING_AT_ONCE", 0)
    with served(http_app(workspaces, session_agent, token=TOKEN)) as server:
        host = {"Host": f"localhost:{server.port}", "Authorization": f"Bearer {TOKEN}"}
        sessions = [Session(server, host, "2025-11-25") for _ in range(5)]
        for session in sessions[:3]:
            session.begin()
        sessions[0].call("list")  # so that the second is the idlest
        for session in sessions[3:]:
            session.begin()
        for session in (sessions[0], *sessions[3:]):
            assert "Nothing is remembered" in said(session.call("list"))
        with pytest.raises(AssertionError, match="404"):
            sessions[1].call("list")
