"""Who calls a tool: client, folder and session, from the relay's hello, the request, or the HTTP
headers."""

from __future__ import annotations

import asyncio
import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from loremap.clients.registry import CLIENTS

Context = ServerRequestContext[Any, Any]
LONGEST_NAME = 40
LONGEST_SESSION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a tool runs."""

    client: str
    folder: Path
    session_id: str | None = None
    is_named: bool = True
    """Whether the client named that session; else its hooks know it by another id than we."""
    use_id: str | None = None
    """The id of this call, where the client names it as its hooks do."""
    incognito: bool = False


def use_in(meta: Mapping[str, Any]) -> str | None:
    """The id of a call that a request's metadata names, in the words of the clients that do."""
    named = (client.use_in(meta) for client in CLIENTS.values())
    told = (name for name in named if isinstance(name, str) and 0 < len(name) <= LONGEST_SESSION)
    return next(told, None)


def session_in(meta: Mapping[str, Any]) -> str | None:
    """The session that a request's metadata names, in the words of the clients that do."""
    named = [client.session_in(meta) for client in CLIENTS.values()]
    named += [meta.get(name) for name in ("sessionId", "threadId")]
    told = (name for name in named if isinstance(name, str) and 0 < len(name) <= LONGEST_SESSION)
    return next(told, None)


def client_called(name: str) -> str:
    """The client that introduces itself by `name`, as we call it; else that name made plain."""
    said = name.casefold()
    known = [(word, name) for name, one in CLIENTS.items() for word in (name, *one.called)]
    found = [(said.index(word), name) for word, name in known if word in said]
    if found:
        return min(found)[1]
    return re.sub(r"[^a-z0-9]+", "-", said).strip("-")[:LONGEST_NAME] or "mcp"


def nowhere() -> Path:
    """The folder of those who work in no project: only the global memory speaks there."""
    try:
        return Path(Path.home().anchor)
    except RuntimeError:  # neither HOME nor an entry of the user
        return Path(os.sep)


def is_folder(path: Path) -> bool:
    """Whether there is a folder; a name that no folder can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_project(folder: Path) -> bool:
    """Whether `folder` is there and may be a project; a home folder holds everything."""
    try:
        return is_folder(folder) and folder not in (Path.home(), nowhere())
    except RuntimeError:  # no home
        return is_folder(folder)


FOLDER_HEADER = "x-loremap-folder"
INCOGNITO_HEADER = "x-loremap-incognito"
SESSION_HEADER = "mcp-session-id"
SESSION_LETTERS = 16
ROOTS_SECONDS = 2.0


class Introduction:
    """The hello of one relay, and what the client adds to it."""

    def __init__(
        self, hello: Hello, *, folder_of: Callable[[str], Path | None] = lambda _: None
    ) -> None:
        self._hello = hello
        self._folder_of = folder_of
        self._has_asked = False
        self._made_session = f"mcp-{uuid.uuid4().hex[:16]}"
        self._folder = hello.folder if is_project(hello.folder) else None

    async def __call__(self, ctx: Context) -> Caller:
        """The caller of one request."""
        hello = self._hello
        named = hello.session_id or session_in(_meta(ctx))
        return Caller(
            client=hello.client or client_called(_client_name(ctx)),
            folder=await self._place(ctx, named),
            session_id=named or self._made_session,
            is_named=named is not None,
            use_id=use_in(_meta(ctx)),
            incognito=hello.incognito,
        )

    async def _place(self, ctx: Context, session_id: str | None) -> Path:
        """Where the client works; one that was started in no project may name its roots, or its
        hooks tell where they run."""
        if self._folder is None and not self._has_asked:
            self._has_asked = True
            self._folder = await _root(ctx)
        if self._folder is None and session_id is not None:
            told = self._folder_of(session_id)
            self._folder = told if told is not None and is_project(told) else None
        here = self._hello.folder
        return self._folder or (here if is_folder(here) else nowhere())


async def introduced_by_http(ctx: Context) -> Caller:
    """The caller of one HTTP request; without a folder it has the global memory only."""
    headers: Mapping[str, str] = {} if ctx.request is None else ctx.request.headers
    return Caller(
        client=client_called(_client_name(ctx)),
        folder=await _folder_named(ctx, headers.get(FOLDER_HEADER, "")),
        session_id=session_in(_meta(ctx)) or _shown(headers.get(SESSION_HEADER)),
        incognito=headers.get(INCOGNITO_HEADER, "") not in ("", "0"),
    )


def _shown(session: str | None) -> str | None:
    """An HTTP session as it is written down: whoever has all of its id can speak in it."""
    return None if not session else f"http-{session[:SESSION_LETTERS]}"


async def _folder_named(ctx: Context, header: str) -> Path:
    if not header:
        return await _root(ctx) or nowhere()
    folder = Path(unquote(header))
    if not folder.is_absolute() or not is_folder(folder):
        raise MCPError(
            types.INVALID_PARAMS, "X-Loremap-Folder names no folder that is there; give its path."
        )
    return folder


async def _root(ctx: Context) -> Path | None:
    """The first folder that the client says it works in, where it can be asked."""
    able = ctx.session.client_capabilities
    if able is None or able.roots is None or not ctx.session.can_send_request:
        return None
    try:
        asked = ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        found = await asyncio.wait_for(asked, ROOTS_SECONDS)
    except (MCPError, TimeoutError, ValueError):  # pydantic's errors are ValueErrors
        return None
    folders = (_path(str(root.uri)) for root in found.roots)
    return next((folder for folder in folders if folder is not None and is_project(folder)), None)


def _path(address: str) -> Path | None:
    parts = urlparse(address)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _meta(ctx: Context) -> Mapping[str, Any]:
    found = (ctx.params or {}).get("_meta")
    return found if isinstance(found, Mapping) else {}


def _client_name(ctx: Context) -> str:
    params = ctx.session.client_params
    return "" if params is None else params.client_info.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """Who speaks on a connection, and where they work."""

    client: str
    """The client's name as `lore connect` wrote it; empty where nobody said."""
    folder: Path
    session_id: str | None = None
    incognito: bool = False
