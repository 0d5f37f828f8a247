"""The protocol's side: what the official library is told of our tools, resources and prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from loremap.errors import LoremapError
from loremap.interfaces.mcp import prompts
from loremap.interfaces.mcp.answer import Answer, failure, fault_line, shortened
from loremap.interfaces.mcp.arguments import read, schema
from loremap.interfaces.mcp.call import Call, Shut, Tool, ToolContext
from loremap.interfaces.mcp.caller import Caller, Context
from loremap.interfaces.mcp.catalogue import BY_NAME, INSTRUCTIONS, TOOLS
from loremap.model.text import cut
from loremap.model.version import VERSION

THREADS = ThreadPoolExecutor(16, thread_name_prefix="mcp")
"""Threads of our own: a call that waits for a scan must not hold up hooks."""
FRESH_MS = 300_000
"""How long a client may keep a list; they change only with a new version of Loremap."""
MAX_COMPLETED = 100
LONGEST_ADDRESS = 500
Introduced = Callable[[Context], Awaitable[Caller]]
P = ParamSpec("P")
T = TypeVar("T")


def made(context: ToolContext, introduced: Introduced) -> Server[Any]:
    """The server of one connection or one HTTP app; `introduced` says who calls."""
    handlers = _Handlers(context, introduced)
    kept = CacheHint(ttl_ms=FRESH_MS, scope="public")
    return Server(
        "loremap",
        version=VERSION,
        title="Loremap",
        description="The memory of coding agents: the map of a codebase and the lore learned in it",
        instructions=INSTRUCTIONS,
        cache_hints={
            "server/discover": kept,
            "tools/list": kept,
            "prompts/list": kept,
            "resources/list": kept,
            "resources/templates/list": kept,
        },
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )


class _Handlers:
    """Each request of the protocol; what takes time runs in a thread."""

    def __init__(self, context: ToolContext, introduced: Introduced) -> None:
        self._context = context
        self._introduced = introduced

    async def _caller(self, ctx: Context) -> Caller:
        """Who calls. A client may keep its environment from us; then its hooks have said whether
        the session is incognito."""
        caller = await self._introduced(ctx)
        session = caller.session_id
        if (
            caller.incognito
            or session is None
            or not self._context.session_agent.is_incognito(session)
        ):
            return caller
        return replace(caller, incognito=True)

    async def list_tools(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            names = ", ".join(BY_NAME)
            wrong = f"There is no tool {shortened(params.name)}: {names}."
            raise MCPError(types.INVALID_PARAMS, wrong)
        caller = await self._caller(ctx)
        return _result(await _aside(_run, tool, self._context, caller, params.arguments))

    async def list_resources(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_MAP])

    async def list_templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(_TEMPLATES))

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        address = str(params.uri)
        call = Call(self._context, await self._caller(ctx), {})
        try:
            text = await _aside(prompts.text_at, call, address)
        except LoremapError as fault:
            raise _refused(fault, data={"uri": cut(address, LONGEST_ADDRESS)}) from fault
        content = types.TextResourceContents(uri=address, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(
        self, ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        caller = await self._caller(ctx)
        return types.ListPromptsResult(
            prompts=[_prompt(one) for one in prompts.offered(caller.client)]
        )

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        caller = await self._caller(ctx)
        try:
            text = prompts.asked(params.name, params.arguments or {}, client=caller.client)
            typed = " ".join((params.name, *(params.arguments or {}).values()))
            self._context.session_agent.spoken.note(
                typed, client=caller.client, session_id=caller.session_id
            )
        except LoremapError as fault:
            raise _refused(fault) from fault
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[said])

    async def complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        asked, start = params.ref, params.argument.value
        found: list[str] = []
        if isinstance(asked, types.PromptReference):
            found = prompts.verbs_like(asked.name, start)
        elif asked.uri.startswith(prompts.MODULE):
            call = Call(self._context, await self._caller(ctx), {})
            with suppress(LoremapError):  # nothing to offer is no error while someone types
                found = await _aside(prompts.modules_like, call, start)
        return types.CompleteResult(completion=types.Completion(values=found[:MAX_COMPLETED]))


async def _aside(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What `work` gives, done by one of our threads."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, partial(work, *given, **named))


def _run(tool: Tool, context: ToolContext, caller: Caller, given: dict[str, Any] | None) -> Answer:
    try:
        answer = tool.run(Call(context, caller, read(tool.fields, given or {})))
    except Shut as fault:
        return failure(fault, failed=False)
    except LoremapError as fault:
        answer = failure(fault)
    return replace(answer, failed=answer.failed and not tool.answers_plainly)


def _refused(fault: LoremapError, *, data: Any = None) -> MCPError:
    return MCPError(types.INVALID_PARAMS, fault_line(fault), data)


def _result(answer: Answer) -> types.CallToolResult:
    """The same text twice: some clients show the model the one form, some the other."""
    text = answer.said
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=None if answer.failed else {"text": text},
        is_error=answer.failed,
    )


def _listed(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads_only,
        destructive_hint=tool.destroys,
        idempotent_hint=tool.reads_only or tool.repeats,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.says,
        input_schema=schema(tool.fields),
        annotations=hints,
        _meta={"anthropic/alwaysLoad": True} if tool.always_loaded else None,
    )


def _prompt(prompt: prompts.Prompt) -> types.Prompt:
    argument = types.PromptArgument(
        name=prompt.argument, description=prompt.argument_says, required=prompt.required
    )
    return types.Prompt(name=prompt.name, description=prompt.says, arguments=[argument])


_MAP = types.Resource(
    uri=prompts.MAP,
    name="map",
    title="Module map",
    description="The modules of this project, and how it is built and tested",
    mime_type="text/plain",
)
_TEMPLATES = (
    types.ResourceTemplate(
        uri_template=prompts.MODULE + "{name}",
        name="module",
        title="Module",
        description="One module: files, tests, dependencies",
        mime_type="text/plain",
    ),
    types.ResourceTemplate(
        uri_template=prompts.MEMORY + "{id}",
        name="memory",
        title="Memory",
        description="One memory in full",
        mime_type="text/plain",
    ),
)
