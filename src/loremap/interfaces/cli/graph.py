"""`tags`, `clusters`, `similar` and `graph`: what belongs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import Part, chosen, command, counted, group, place, say, warn
from loremap.model.clock import short_id

if TYPE_CHECKING:
    from rich.tree import Tree

    from loremap.model.graph import Cluster, Edge
    from loremap.model.neighbourhood import Branch

tags = group("tags", "List the tags here, or say what one means.", default="list")


@tags.command("list")
@command
def tags_list(as_json: bool) -> Any:
    """List the tags that memories bear here, the most borne first."""
    with place().lore() as lore:
        found = lore.graph.tags()
    if as_json:
        return {
            "tags": [
                {
                    "name": one.name,
                    "description": one.description,
                    "count": one.count,
                    "inferred": one.inferred,
                }
                for one in found
            ]
        }
    for one in found:
        parts: list[Part] = [(f"#{one.name}", "cyan"), f"  {one.count:,}"]
        if one.inferred:
            parts.append((f" ({one.inferred:,} inferred)", "dim"))
        say(*parts, f"  {one.description}" if one.description else "")
    if not found:
        say("No memory here bears a tag: lore tag ID NAME, or lore tags infer")
    return None


@tags.command()
@click.argument("name")
@click.argument("description")
@command
def describe(name: str, description: str, as_json: bool) -> Any:
    """Say what the tag NAME means. An empty DESCRIPTION takes that back."""
    with place().lore() as lore:
        lore.graph.describe(name, description)
    if as_json:
        return {"name": name.removeprefix("#"), "description": description}
    say((f"#{name.removeprefix('#')}", "cyan"), f"  {description or 'no description'}")
    return None


@tags.command()
@command
def infer(as_json: bool) -> Any:
    """Infer tags now, from files, modules, entities and kinds."""
    with place().lore() as lore:
        changed = lore.graph.infer_tags()
        found = [one for one in lore.graph.tags() if one.inferred]
    if as_json:
        return {"changes": changed, "inferred": {one.name: one.inferred for one in found}}
    named = " ".join(f"#{one.name} {one.inferred:,}" for one in found) or "none"
    say(f"{counted(changed, 'change')}; inferred here: {named}")
    return None


@click.command()
@click.argument("cluster", required=False)
@click.option("--refresh", is_flag=True, help="Find the clusters anew first.")
@command
def clusters(cluster: str | None, refresh: bool, as_json: bool) -> Any:
    """List the clusters here: memories that stand near each other. With CLUSTER, its memories."""
    with place().lore() as lore:
        found = lore.graph.refresh_clusters() if refresh else lore.graph.clusters()
        installed = lore.graph.has_clusters
        if cluster is not None:
            one, ids = lore.graph.members(cluster)
            return _members(one, ids, lore.summaries(ids), as_json=as_json)
    if as_json:
        return {
            "clusters": [
                {"id": one.id, "name": one.name, "members": one.member_count} for one in found
            ],
            "installed": installed,
        }
    for one in found:
        say((f"{short_id(one.id)}  ", "dim"), (one.name or "unnamed", "cyan"),
            f"  {one.member_count:,}")  # fmt: skip
    if not found:
        say(
            "No clusters: nothing here stands near enough together."
            if refresh
            else "No clusters yet: lore clusters --refresh"
        )
    if not installed:
        from loremap.memory.graph.graph import NEEDS_EXTRA

        warn(NEEDS_EXTRA)
    return None


def _members(
    one: Cluster, ids: Sequence[str], summaries: Mapping[str, str], *, as_json: bool
) -> Any:
    if as_json:
        said = [{"id": id_, "summary": summaries.get(id_, "")} for id_ in ids]
        return {"id": one.id, "name": one.name, "memories": said}
    say((one.name or "unnamed", "cyan"), f"  {one.member_count:,}")
    for id_ in ids:
        say((f"  {short_id(id_)}  ", "dim"), summaries.get(id_, ""))
    return None


@click.command()
@click.argument("id_or_keyword")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=10, help="At most this many [10]."
)
@command
def similar(id_or_keyword: str, limit: int, as_json: bool) -> Any:
    """What stands nearest to a memory: by vectors, by words where it has none."""
    with place().lore() as lore:
        id_ = chosen(id_or_keyword, lambda ref: lore.find(ref, by_keyword=True), as_json=as_json)
        found = lore.graph.similar(id_, limit=limit)
    if as_json:
        return {
            "similar": [
                {"id": one.memory_id, "summary": one.summary, "by": one.by,
                 "similarity": round(one.similarity, 4)}
                for one in found
            ]
        }  # fmt: skip
    for one in found:
        say((f"{short_id(one.memory_id)}  {one.similarity:.2f}  ", "dim"), one.summary)
    if not found:
        say("Nothing stands near it.")
    elif found[0].by == "words":
        warn("By words: it has no vector yet.")
    return None


@click.command("graph")
@click.argument("id_or_keyword")
@click.option("-d", "--depth", type=click.IntRange(1, 4), default=2, help="So many edges far [2].")
@click.option("--dot", is_flag=True, help="As a graph that Graphviz draws.")
@command
def graph_(id_or_keyword: str, depth: int, dot: bool, as_json: bool) -> Any:
    """What a memory is joined with, and what that leads on to: links, tags, clusters, entities."""
    with place().lore() as lore:
        id_ = chosen(id_or_keyword, lambda ref: lore.find(ref, by_keyword=True), as_json=as_json)
        found = lore.graph.around(id_, depth=depth)
    if as_json:
        return _data(found)
    if dot:
        from loremap.interfaces.cli.shell import echo

        echo(_dot(found))
        return None
    from rich.tree import Tree

    from loremap.interfaces.cli.shell import console

    tree = Tree(_label(found), guide_style="dim")
    _grow(tree, found)
    console().print(tree)
    if not found.below:
        say("It is joined with nothing: lore link, lore tag, lore tags infer")
    return None


def _grow(tree: Tree, branch: Branch) -> None:
    from rich.text import Text

    for each in branch.below:
        _grow(tree.add(_label(each)), each)
    if branch.left_out:
        tree.add(Text(f"and {branch.left_out} more", "dim"))


def _label(branch: Branch) -> Any:
    from rich.text import Text

    named = f"{short_id(branch.node.id)}  " if branch.node.is_memory else ""
    return Text.assemble(
        (f"{_way(branch.edge)} " if branch.edge else "", "magenta"),
        (named, "dim"),
        (branch.text, "" if branch.node.is_memory else "cyan"),
        (" (above)" if branch.again else "", "dim"),
    )


def _way(edge: Edge) -> str:
    """An edge as it is read: its kind, which way it points, how much it weighs."""
    weight = f" {edge.weight:g}" if edge.kind.value == "relates_to" else ""
    arrow = "→" if edge.forward else "←"
    return f"{arrow} {edge.kind.value}{weight}{' (inferred)' if edge.inferred else ''}"


def _data(branch: Branch) -> dict[str, Any]:
    """A branch for `--json`."""
    node: dict[str, Any] = {
        "sort": branch.node.sort.value,
        "id": branch.node.id,
        "text": branch.text,
    }
    if branch.edge is not None:
        node["edge"] = {
            "kind": branch.edge.kind.value,
            "weight": branch.edge.weight,
            "forward": branch.edge.forward,
            "inferred": branch.edge.inferred,
        }
    return node | {
        "below": [_data(each) for each in branch.below],
        "left_out": branch.left_out,
        "again": branch.again,
    }


def _dot(root: Branch) -> str:
    """A neighbourhood in the language of Graphviz."""
    lines: dict[str, None] = {}
    _draw(root, lines)
    return "\n".join(["digraph memory {", *lines, "}"])


def _draw(branch: Branch, lines: dict[str, None]) -> None:
    shape = "box" if branch.node.is_memory else "ellipse"
    lines[f"  {_quoted(branch.node.id)} [shape={shape}, label={_quoted(branch.text)}];"] = None
    for each in branch.below:
        _draw(each, lines)
        if each.edge is not None:
            ends = (branch.node.id, each.node.id)
            one, two = ends if each.edge.forward else reversed(ends)
            label = _quoted(each.edge.kind.value)
            lines[f"  {_quoted(one)} -> {_quoted(two)} [label={label}];"] = None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


COMMANDS = (tags, clusters, similar, graph_)
