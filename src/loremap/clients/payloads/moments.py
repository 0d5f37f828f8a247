"""What the clients call the moments of a session."""

from __future__ import annotations

from loremap.model.hook import Beginning, Moment

_NAMES: dict[Moment, str] = {
    Moment.SESSION_START: "sessionstart taskstart taskresume agentstart agentresume",
    Moment.PROMPT: "userpromptsubmit userpromptsubmitted beforesubmitprompt beforeagent "
    "preuserprompt promptsubmit",
    Moment.BEFORE_TOOL: "pretooluse beforetool beforeshellexecution beforemcpexecution "
    "beforereadfile prereadcode prewritecode preruncommand premcptooluse toolcall",
    Moment.AFTER_TOOL: "posttooluse posttoolusefailure aftertool aftershellexecution "
    "aftermcpexecution afterfileedit postreadcode postwritecode postruncommand postmcptooluse "
    "toolresult",
    Moment.STOP: "stop stopfailure agentstop afteragent taskcomplete taskcancel "
    "agentend agentabort agenterror taskerror postcascaderesponse",
    Moment.BEFORE_COMPACT: "precompact precompress",
    Moment.AFTER_COMPACT: "postcompact",
    Moment.SUBAGENT_START: "subagentstart",
    Moment.SUBAGENT_STOP: "subagentstop",
    Moment.SESSION_END: "sessionend sessionshutdown",
}
_MOMENTS = {name: moment for moment, names in _NAMES.items() for name in names.split()}
_BEGINNINGS = {
    **{beginning.value: beginning for beginning in Beginning},
    "new": Beginning.STARTUP,
}


def plain(name: str) -> str:
    """A name without what clients write differently: `postToolUse`, `PostToolUse`, `post_tool_use`
    are one."""
    return "".join(character for character in name.lower() if character.isalnum())


def moment_of(name: str) -> Moment:
    """The moment a client means by `name`; OTHER for one we do not listen to."""
    return _MOMENTS.get(plain(name), Moment.OTHER)


def names_of(moment: Moment) -> list[str]:
    """What clients call a moment, as `plain` writes it."""
    return _NAMES[moment].split()


def beginning_of(name: str, source: str) -> Beginning:
    """How a session began, by the event's name and what the client says of it."""
    if plain(name) in ("taskresume", "agentresume"):
        return Beginning.RESUME
    return _BEGINNINGS.get(source.lower(), Beginning.STARTUP)
