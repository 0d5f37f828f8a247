"""Reads the graph: one module for each kind of question, all names here."""

from __future__ import annotations

from loremap.storage.graph.read.counts import broken, given_up, languages, skipped, totals
from loremap.storage.graph.read.edges import (
    all_edges,
    edges_from,
    edges_to,
    files_used,
    files_using,
    imports_of,
)
from loremap.storage.graph.read.known_files import files, files_at, folders, paths, stamps, state_of
from loremap.storage.graph.read.linking import (
    defining,
    facts_holding,
    facts_of,
    ids_by_position,
    importers,
    is_large,
    joined_calls,
    linkable,
    names_of,
    waiting,
    waiting_that_say,
)
from loremap.storage.graph.read.locating import content_hashes, terms_of, vector_hashes, vectors_of
from loremap.storage.graph.read.module_map import (
    external_imports,
    file_joins,
    hints,
    project_files,
    shape,
    top_symbols,
)
from loremap.storage.graph.read.symbols import (
    by_digest,
    contents,
    file_symbol,
    members,
    named,
    places,
    symbols_by_id,
)

__all__ = [
    "all_edges",
    "broken",
    "by_digest",
    "content_hashes",
    "contents",
    "defining",
    "edges_from",
    "edges_to",
    "external_imports",
    "facts_holding",
    "facts_of",
    "file_joins",
    "file_symbol",
    "files",
    "files_at",
    "files_used",
    "files_using",
    "folders",
    "given_up",
    "hints",
    "ids_by_position",
    "importers",
    "imports_of",
    "is_large",
    "joined_calls",
    "languages",
    "linkable",
    "members",
    "named",
    "names_of",
    "paths",
    "places",
    "project_files",
    "shape",
    "skipped",
    "stamps",
    "state_of",
    "symbols_by_id",
    "terms_of",
    "top_symbols",
    "totals",
    "vector_hashes",
    "vectors_of",
    "waiting",
    "waiting_that_say",
]
