"""A reStructuredText document rewritten as Markdown, line for line."""

from __future__ import annotations

import re

from loremap.code.documents.markdown import MAX_LINES

_DIRECTIVE = re.compile(r"(\s*)\.\.(?:\s+([\w-]+)::\s*(\w*).*| .*|)\s*$")
_SHOWN = frozenset(
    """
    note warning important tip caution attention hint danger admonition container tab tab-item tabs
    tab-set dropdown
    """.split()
)
_CODE = frozenset({"code", "code-block", "sourcecode", "prompt", "parsed-literal"})
_UNDERLINE = re.compile(r"([=\-~^\"'*+#.:_`])\1{2,}$")
_LITERAL = re.compile(r"``([^`\n]+)``")
_ROLE = re.compile(r":[a-zA-Z:+-]{1,40}:`(?:([^`<\n]+?)\s*<[^`>\n]*>|~?!?([^`\n]+))`")
_LINK = re.compile(r"`([^`<\n]+?)(?:\s*<[^`>\n]*>)?`__?(?!\w)")
_NAMED_LINK = re.compile(r"(?<=\w)_(?=[\s,.;:)]|$)")


def markdown_of(text: str) -> str:
    """`text` as Markdown with the same number of lines."""
    lines = [line.expandtabs(8).rstrip() for line in text.split("\n")[:MAX_LINES]]
    _head(lines)
    at = 0
    while at < len(lines):
        at = _rewrite(lines, at)
    return "\n".join(lines)


def _head(lines: list[str]) -> None:
    """Writes titles over (and between) underlines with hashes; levels are told by who is first."""
    levels = list[str]()
    for at in range(1, len(lines)):
        under = _UNDERLINE.match(lines[at])
        title = lines[at - 1]
        if under is None or not title or title.startswith(" ") or _UNDERLINE.match(title):
            continue
        if len(lines[at]) + 2 < len(title):
            continue
        over = at > 1 and lines[at - 2] == lines[at]
        sign = under[1] * (2 if over else 1)
        if sign not in levels:
            levels.append(sign)
        lines[at - 1] = f"{'#' * min(levels.index(sign) + 1, 6)} {title.strip()}"
        lines[at] = ""
        if over:
            lines[at - 2] = ""


def _rewrite(lines: list[str], at: int) -> int:
    """Rewrites what begins at line `at` in place; the index of the next line."""
    line = lines[at]
    directive = _DIRECTIVE.match(line)
    if directive is not None:
        return _rewrite_directive(lines, at, directive)
    if line.endswith("::"):
        lines[at] = _inline(line[:-1] if line.strip() != "::" else "")
        return _fence(lines, at + 1, _code_end(lines, at + 1, _indent(line)), "")
    lines[at] = _inline(line)
    return at + 1


def _rewrite_directive(lines: list[str], at: int, directive: re.Match[str]) -> int:
    indent = len(directive[1])
    end = _body_end(lines, at + 1, indent)
    lines[at] = ""
    if directive[2] in _SHOWN:
        inner = [line for line in lines[at + 1 : end] if line]
        deep = min((_indent(line) for line in inner), default=indent)
        lines[at + 1 : end] = [directive[1] + line[deep:] for line in lines[at + 1 : end]]
        return at + 1
    if directive[2] in _CODE:
        while at + 1 < end and re.match(r"\s*:\w", lines[at + 1]):
            at += 1
            lines[at] = ""
        return _fence(lines, at + 1, _code_end(lines, at + 1, indent), directive[3])
    lines[at + 1 : end] = [""] * (end - at - 1)
    return end


def _body_end(lines: list[str], begin: int, indent: int) -> int:
    """The index after the last line that is indented deeper than `indent`."""
    end = at = begin
    while at < len(lines):
        if lines[at].strip():
            if _indent(lines[at]) <= indent:
                break
            end = at + 1
        at += 1
    return end


def _code_end(lines: list[str], begin: int, indent: int) -> int:
    """The index after the code that begins after `begin`: what is indented as its first line is."""
    first = next((n for n in range(begin, len(lines)) if lines[n].strip()), begin)
    deeper = first < len(lines) and _indent(lines[first]) > indent
    return _body_end(lines, begin, max(indent, _indent(lines[first]) - 1)) if deeper else begin


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fence(lines: list[str], begin: int, end: int, language: str) -> int:
    """Writes fences into the blank lines around a body; leaves it blank if there are none."""
    fits = begin < end and not lines[begin] and (end == len(lines) or not lines[end])
    if not fits:
        lines[begin:end] = [""] * (end - begin)
        return end
    lines[begin] = f"```{language or 'text'}"
    if end < len(lines):
        lines[end] = "```"
    return end + 1


def _inline(line: str) -> str:
    line = _LITERAL.sub(r"`\1`", line)
    line = _ROLE.sub(lambda role: f"`{(role[1] or role[2]).strip()}`", line)
    line = _LINK.sub(lambda link: link[1].strip(), line)
    return _NAMED_LINK.sub("", line)
