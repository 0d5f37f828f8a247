"""The protocol as clients of every age speak it over the relay's stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp_wire import HANDSHAKES, MODERN, VERSIONS, Json, Line, connected, request, said

from loremap.agent.session_agent import SessionAgent
from loremap.app import Lore
from loremap.interfaces.mcp.caller import Hello
from loremap.interfaces.mcp.catalogue import TOOLS
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent, Moment


def hello(folder: Path, **more: Any) -> Hello:
    return Hello(**({"client": "", "folder": folder} | more))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_answered(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path, version: str
) -> None:
    async def main() -> Json:
        async with connected(
            workspaces, session_agent, hello(project), version=version, begin=False
        ) as line:
            introduced = await line.begin()
            assert "Recall before work" in introduced["instructions"]
            assert {"tools", "prompts", "resources"} <= set(introduced["capabilities"])
            if version in HANDSHAKES:
                assert introduced["protocolVersion"] == version
                assert introduced["serverInfo"]["name"] == "loremap"
                assert (await line.ask("ping"))["result"] == {}
            else:
                assert introduced["supportedVersions"] == [MODERN]
            tools = (await line.ask("tools/list"))["result"]["tools"]
            assert len(tools) == len(TOOLS)
            assert len((await line.ask("prompts/list"))["result"]["prompts"]) == 4
            listed = (await line.ask("resources/list"))["result"]["resources"]
            assert [one["uri"] for one in listed] == ["loremap://map"]
            await line.text("remember", content="Builds need Java 21")
            return await line.call("recall", query="which Java do builds need?")

    result = asyncio.run(main())
    assert "Java 21" in said(result)
    if version != "2024-11-05":
        assert "Java 21" in result["structuredContent"]["text"]
        assert result["structuredContent"]["text"] == said(result)
    assert (result.get("resultType") == "complete") is (version == MODERN)


def test_a_client_that_tries_both_at_once_is_served(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    """Copilot sends the newest version's question and the old handshake together."""

    async def main() -> None:
        async with connected(workspaces, session_agent, hello(project), begin=False) as line:
            await line.send(request(1, "server/discover", {}, version=MODERN))
            first = {"protocolVersion": "2025-11-25", "capabilities": {}}
            named = first | {"clientInfo": {"name": "copilot", "version": "1"}}
            await line.send(request(2, "initialize", named, version="2025-11-25"))
            answers = {answer["id"]: answer for answer in [await line.receive() for _ in range(2)]}
            assert answers[1]["result"]["supportedVersions"] == [MODERN]
            assert answers[2]["result"]["protocolVersion"] == "2025-11-25"
            for number, version in ((3, MODERN), (4, "2025-11-25")):
                await line.send(request(number, "tools/list", {}, version=version))
                assert len((await line.receive())["result"]["tools"]) == len(TOOLS)

    asyncio.run(main())


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("wrong", "id_", "code"),
    [
        (b"{", None, -32700),
        (b"\xff\xfe", None, -32700),
        (b'"' + b"x" * (5 << 20) + b'"', None, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + DEEP + b"}", 7, -32700),
        (b'{"jsonrpc": "2.0", "method": "x", "id": "a", "params": ' + DEEP, "a", -32700),
        (b"[]", None, -32600),
        (b'{"jsonrpc":"2.0"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":8,"method":9}', 8, -32600),
        (b'[{"jsonrpc":"2.0","id":9,"method":"ping"}]', 9, -32600),
    ],
)
def test_what_is_no_message_is_refused_and_the_next_is_served(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    wrong: bytes,
    id_: int | str | None,
    code: int,
) -> None:
    async def main() -> None:
        async with connected(workspaces, session_agent, hello(project)) as line:
            await line.send(wrong)
            answer = await line.receive()
            assert answer["id"] == id_
            assert answer["error"]["code"] == code
            assert len((await line.ask("tools/list"))["result"]["tools"]) == len(TOOLS)

    asyncio.run(main())


def test_half_a_character_is_no_reason_not_to_answer(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    """`JSON.stringify` writes halves of surrogate pairs as it finds them."""

    async def main() -> str:
        async with connected(workspaces, session_agent, hello(project)) as line:
            await line.text("remember", content="Ports start at 4000 \ud83d")
            return await line.text("list")

    assert "Ports start at 4000 ?" in asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "params", "says"),
    [
        ("tools/call", {"name": "fly", "arguments": {}}, "There is no tool 'fly'"),
        ("resources/read", {"uri": "loremap://moon"}, "There is no resource"),
        ("resources/read", {"uri": "loremap://memory/ffffffff"}, "There is no memory"),
        ("resources/read", {"uri": "loremap://module/moon"}, "The map has no module"),
        ("prompts/get", {"name": "fly"}, "There is no prompt 'fly'"),
        ("prompts/get", {"name": "remember"}, "/remember needs text"),
        ("nothing/like/it", {}, "Method not found"),
        ("tools/call", {"name": "f" * 1_000_000, "arguments": {}}, "There is no tool 'fff"),
        ("resources/read", {"uri": "loremap://m" + "o" * 1_000_000}, "There is no resource"),
        ("resources/read", {"uri": "loremap://module/" + "o" * 100_000}, "has no module 'ooo"),
        ("resources/read", {"uri": "loremap://memory/" + "f" * 100_000}, "There is no memory"),
        ("prompts/get", {"name": "f" * 1_000_000}, "There is no prompt 'fff"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    method: str,
    params: Json,
    says: str,
) -> None:
    async def main() -> Json:
        async with connected(workspaces, session_agent, hello(project)) as line:
            return await line.ask(method, params)

    error = asyncio.run(main())["error"]
    assert says in error["message"]
    assert "\n" not in error["message"]
    assert len(json.dumps(error)) < 1_500


def test_resources(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    async def main() -> None:
        async with connected(workspaces, session_agent, hello(project)) as line:
            text = await line.text("remember", content="Tokens last a day", files=["web/routes.py"])
            id_ = text.partition(": ")[2].split()[0]
            memory = await read(line, f"loremap://memory/{id_}")
            assert memory.endswith("\n> Tokens last a day")
            assert "files: web/routes.py" in memory
            assert "by agent:probe" in memory
            assert "shop (4 files)" in await read(line, "loremap://map")
            assert "auth/login.py" in await read(line, "loremap://module/shop")
            templates = (await line.ask("resources/templates/list"))["result"]
            assert [one["uriTemplate"] for one in templates["resourceTemplates"]] == [
                "loremap://module/{name}",
                "loremap://memory/{id}",
            ]

    asyncio.run(main())


async def read(line: Line, address: str) -> str:
    (content,) = (await line.ask("resources/read", {"uri": address}))["result"]["contents"]
    assert content["uri"] == address
    return str(content["text"])


@pytest.mark.parametrize(
    ("name", "given", "command"),
    [
        ("remember", {"text": 'say "no" to tabs'}, 'remember say "no" to tabs'),
        ("forget", {"what": "1a2b"}, "forget 1a2b"),
        ("pin", {"what": "the\nport"}, "pin the port"),
        ("memory", {"command": "search tabs"}, "search tabs"),
        ("memory", {}, "status"),
    ],
)
def test_prompts_ask_for_one_call(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    name: str,
    given: Json,
    command: str,
) -> None:
    async def main() -> Json:
        async with connected(workspaces, session_agent, hello(project)) as line:
            return await line.ask("prompts/get", {"name": name, "arguments": given})

    (message,) = asyncio.run(main())["result"]["messages"]
    assert message["role"] == "user"
    assert json.dumps({"command": command}) in message["content"]["text"]


def test_claude_gives_a_prompt_the_first_word_only(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    async def main() -> Json:
        async with connected(workspaces, session_agent, hello(project, client="claude")) as line:
            return await line.ask("prompts/get", {"name": "pin", "arguments": {"what": "the"}})

    (message,) = asyncio.run(main())["result"]["messages"]
    assert "in place of 'the': all of <command-args>" in message["content"]["text"]


@pytest.mark.parametrize(
    ("ref", "start", "values"),
    [
        ({"type": "ref/prompt", "name": "memory"}, "al", ["alias add ", "alias list"]),
        ({"type": "ref/prompt", "name": "remember"}, "", []),
        ({"type": "ref/resource", "uri": "loremap://module/{name}"}, "SH", ["shop"]),
        ({"type": "ref/resource", "uri": "loremap://module/{name}"}, "x", []),
        ({"type": "ref/resource", "uri": "loremap://memory/{id}"}, "a", []),
    ],
)
def test_what_a_user_types_is_completed(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    ref: Json,
    start: str,
    values: list[str],
) -> None:
    async def main() -> Json:
        async with connected(workspaces, session_agent, hello(project)) as line:
            await line.text("map", action="modules")
            params = {"ref": ref, "argument": {"name": "x", "value": start}}
            return await line.ask("completion/complete", params)

    assert asyncio.run(main())["result"]["completion"]["values"][:2] == values


CODEX = {"x-codex-turn-metadata": json.dumps({"session_id": "turn"}), "sessionId": "other"}


@pytest.mark.parametrize(
    ("told", "meta", "session"),
    [
        ("hello", CODEX, "hello"),
        (None, CODEX, "turn"),
        (None, {"x-codex-turn-metadata": {"session_id": "object"}}, "object"),
        (None, {"x-codex-turn-metadata": "no json", "threadId": "thread"}, "thread"),
        (None, {"sessionId": 7}, None),
        (None, {}, None),
    ],
)
def test_the_session_is_the_one_that_hooks_know(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    told: str | None,
    meta: Mapping[str, Any],
    session: str | None,
) -> None:
    async def main() -> None:
        here = hello(project, session_id=told)
        async with connected(workspaces, session_agent, here) as line:
            for text in ("Ports start at 4000", "Builds need Java 21"):
                await line.text("remember", content=text, _meta=meta)

    asyncio.run(main())
    with workspaces.at(project) as lore:
        (found,) = {memory.session_id for memory in lore.list()}
    assert found is not None
    assert found == session or (session is None and found.startswith("mcp-"))


@pytest.mark.parametrize(
    ("introduced", "client"),
    [
        ("claude-code", "claude"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client-loremap", "gemini"),
        ("cursor-vscode", "cursor"),
        ("Visual Studio Code", "vscode"),
        ("My Own Agent 3", "my-own-agent-3"),
        ("", "mcp"),
    ],
)
def test_the_client_is_known_by_its_introduction(
    workspaces: Workspaces[Lore],
    session_agent: SessionAgent,
    project: Path,
    introduced: str,
    client: str,
) -> None:
    async def main() -> None:
        async with connected(workspaces, session_agent, hello(project), begin=False) as line:
            await line.begin(name=introduced)
            await line.text("remember", content="Ports start at 4000")

    asyncio.run(main())
    with workspaces.at(project) as lore:
        assert lore.list()[0].created_by == f"agent:{client}"


def test_roots_are_asked_only_where_the_folder_says_nothing(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path, tmp_path: Path
) -> None:
    async def project_of(folder: Path, roots: list[str] | None) -> str:
        async with connected(workspaces, session_agent, hello(folder), begin=False) as line:
            line.roots = roots
            await line.begin({} if roots is None else {"roots": {}})
            return (await line.text("memory", command="status")).splitlines()[0]

    async def main() -> None:
        async with connected(workspaces, session_agent, hello(project)) as line:
            await line.text("remember", content="Ports start at 4000")
        gone, here = tmp_path / "gone", project.as_uri()
        assert await project_of(gone, [gone.as_uri(), here]) == "Memory of shop on main"
        assert await project_of(gone, []) == "Memory of no project"
        assert await project_of(gone, None) == "Memory of no project"
        assert await project_of(Path.home(), [here]) == "Memory of shop on main"
        assert await project_of(project, [tmp_path.as_uri()]) == "Memory of shop on main"

    asyncio.run(main())


def test_many_connections_at_once(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    async def one(number: int) -> None:
        here = hello(project, client="codex", session_id=f"s-{number}")
        async with connected(workspaces, session_agent, here) as line:
            text = f"Service {number} listens on port {4000 + number} of host {number * 7}"
            await line.text("remember", content=text)
            assert f"Service {number} " in await line.text("recall", query=text)

    async def main() -> None:
        await asyncio.gather(*(one(number) for number in range(12)))

    asyncio.run(main())
    with workspaces.at(project) as lore:
        assert {memory.session_id for memory in lore.list()} == {f"s-{n}" for n in range(12)}


def test_a_client_that_goes_in_the_middle_harms_nobody(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    async def main() -> None:
        for number in range(5):
            async with connected(workspaces, session_agent, hello(project)) as line:
                arguments = {"content": f"Written at the last moment, take {number}"}
                params = {"name": "remember", "arguments": arguments}
                await line.send(request(9, "tools/call", params, version="2025-11-25"))
        async with connected(workspaces, session_agent, hello(project)) as line:
            await line.text("remember", content="Ports start at 4000")

    asyncio.run(main())


def test_a_server_that_is_started_elsewhere_works_where_its_hooks_do(
    workspaces: Workspaces[Lore], session_agent: SessionAgent, project: Path
) -> None:
    begun = HookEvent(
        client="copilot",
        name="sessionStart",
        moment=Moment.SESSION_START,
        session_id="s1",
        at=datetime.now(UTC),
        folder=project,
        key="k",
    )

    async def main() -> None:
        told = hello(Path(project.anchor), client="copilot", session_id="s1")
        async with connected(workspaces, session_agent, told) as line:
            where = (await line.text("memory", command="status")).splitlines()[0]
            assert where == "Memory of no project"
            session_agent.handle(begun)
            where = (await line.text("memory", command="status")).splitlines()[0]
            assert where.endswith(" on main")

    asyncio.run(main())
