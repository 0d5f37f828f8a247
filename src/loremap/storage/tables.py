"""The tables, shared by every database. Times are milliseconds since 1970, UTC."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()


def _owned() -> list[Column[str]]:
    """The columns that say whose a row is."""
    return [
        Column("tenant_id", Text, nullable=False, server_default="local"),
        Column("owner_id", Text, nullable=False, server_default="me"),
    ]


meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about the store itself: its id, the oldest program that may use it, the change counter."""

migrations = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("applied_at", Integer, nullable=False),
    Column("program_version", Text, nullable=False),
)

projects = Table(
    "projects",
    metadata,
    Column("id", Text, primary_key=True),
    *_owned(),
    Column("name", Text, nullable=False),
    Column("remote", Text),
    Column("root_commit", Text),
    Column("memory_enabled", Boolean, nullable=False, server_default=text("1")),
    Column("auto_memory_enabled", Boolean, nullable=False, server_default=text("1")),
    Column("config_preset", Text, nullable=False, server_default="balanced"),
    Column("build_tool", Text),
    Column("build_commands", Text),
    Column("test_tool", Text),
    Column("test_config_file", Text),
    Column("test_run_command", Text),
    Column("map_version", Integer, nullable=False, server_default=text("0")),
    Column("map_updated_at", Integer),
    Column("last_compacted_at", Integer),
    Column("total_promotions", Integer, nullable=False, server_default=text("0")),
    Column("total_evictions", Integer, nullable=False, server_default=text("0")),
    Column("total_accesses", Integer, nullable=False, server_default=text("0")),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("version", Integer, nullable=False, server_default=text("1")),
)

project_aliases = Table(
    "project_aliases",
    metadata,
    Column("tenant_id", Text, primary_key=True, server_default="local"),
    Column("key", Text, primary_key=True),
    Column("project_id", Text, ForeignKey("projects.id"), nullable=False),
    Column("created_at", Integer, nullable=False),
    Index("project_aliases_by_project", "project_id"),
)

memories = Table(
    "memories",
    metadata,
    Column("row", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    *_owned(),
    Column("project_id", Text, ForeignKey("projects.id")),
    Column("created_by", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("is_code", Boolean, nullable=False, server_default=text("0")),
    Column("status", Text, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=text("0")),
    Column("tainted", Boolean, nullable=False, server_default=text("0")),
    Column("origin", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("trust", Float, nullable=False),
    Column("strength", Integer, nullable=False, server_default=text("1")),
    Column("access_count", Integer, nullable=False, server_default=text("0")),
    Column("session_id", Text),
    Column("message_start", Integer),
    Column("message_end", Integer),
    Column("agent", Text),
    Column("branch", Text),
    Column("commit_id", Text),
    Column("source_file", Text),
    Column("seasonal", Text),
    Column("recency_weight", Float, nullable=False, server_default=text("1.0")),
    Column("superseded_by", Text),
    Column("retracted_reason", Text),
    Column("valid_until", Integer),
    Column("procedure", Text),
    Column("attached", Text, nullable=False, server_default="[[],[],[]]"),
    Column("fingerprint", Text, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("last_accessed_at", Integer, nullable=False),
    Column("deleted_at", Integer),
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("checksum", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Index("memories_by_seq", "seq"),
    Index("memories_by_project", "project_id", "created_at"),
    Index("memories_by_session", "session_id", "created_at"),
    sqlite_autoincrement=True,
)
"""`seq` is the store's change counter when the row was last written, so that a warm reader
fetches only what changed; `row` is never used again, so that it can name the row in the index.
`attached` holds the files, tags and triggers under the row's checksum; the tables of these are what
it is looked up by, and can be made from it again."""

Index(
    "memories_once",
    memories.c.tenant_id,
    memories.c.owner_id,
    text("coalesce(project_id, '')"),
    memories.c.fingerprint,
    unique=True,
    sqlite_where=text("status IN ('candidate', 'confirmed') AND deleted_at IS NULL"),
    postgresql_where=text("status IN ('candidate', 'confirmed') AND deleted_at IS NULL"),
)


def _of_memory(*, primary: bool = True) -> Column[str]:
    return Column(
        "memory_id",
        Text,
        ForeignKey("memories.id", ondelete="CASCADE"),
        primary_key=primary,
        nullable=False,
    )


memory_files = Table(
    "memory_files",
    metadata,
    _of_memory(),
    Column("path", Text, primary_key=True),
    Index("memory_files_by_path", "path"),
)

tags = Table(
    "tags",
    metadata,
    Column("tenant_id", Text, primary_key=True, server_default="local"),
    Column("name", Text, primary_key=True),
    Column("description", Text, nullable=False, server_default=""),
    Column("created_at", Integer, nullable=False),
)

memory_tags = Table(
    "memory_tags",
    metadata,
    _of_memory(),
    Column("tag", Text, primary_key=True),
    Index("memory_tags_by_tag", "tag"),
)

triggers = Table(
    "triggers",
    metadata,
    _of_memory(),
    Column("position", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("pattern", Text, nullable=False),
    Column("target", Text, nullable=False, server_default="any"),
)

provenance = Table(
    "provenance",
    metadata,
    _of_memory(),
    Column("position", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("session_id", Text),
    Column("at", Integer, nullable=False),
    Column("snippet", Text, nullable=False, server_default=""),
    Column("confidence_reason", Text, nullable=False, server_default=""),
    Column("file", Text),
    Column("line", Integer),
    Column("actor", Text, nullable=False, server_default=""),
)

vectors = Table(
    "vectors",
    metadata,
    _of_memory(),
    Column("model", Text, primary_key=True),
    Column("chunk", Integer, primary_key=True),
    Column("dim", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Index("vectors_by_seq", "model", "seq"),
)
"""`fingerprint` is that of the text the vector was made from: after an edit it no longer fits."""

links = Table(
    "links",
    metadata,
    Column("source_id", Text, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("target_id", Text, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("relation", Text, primary_key=True),
    Column("weight", Float, nullable=False, server_default=text("1.0")),
    Column("created_at", Integer, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("checksum", Text, nullable=False, server_default=""),
    CheckConstraint("source_id <> target_id", name="links_join_two"),
    Index("links_by_target", "target_id"),
)

conflicts = Table(
    "conflicts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("memory_a", Text, ForeignKey("memories.id", ondelete="CASCADE"), nullable=False),
    Column("memory_b", Text, ForeignKey("memories.id", ondelete="CASCADE"), nullable=False),
    Column("type", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("detected_at", Integer, nullable=False),
    Column("resolved_at", Integer),
    Column("resolution", Text),
    UniqueConstraint("memory_a", "memory_b"),
    Index("conflicts_by_b", "memory_b"),
)

clusters = Table(
    "clusters",
    metadata,
    Column("id", Text, primary_key=True),
    *_owned(),
    Column("project_id", Text, ForeignKey("projects.id")),
    Column("name", Text, nullable=False, server_default=""),
    Column("model", Text, nullable=False),
    Column("dim", Integer, nullable=False),
    Column("centroid", LargeBinary, nullable=False),
    Column("member_count", Integer, nullable=False, server_default=text("0")),
    Column("updated_at", Integer, nullable=False),
)

memory_clusters = Table(
    "memory_clusters",
    metadata,
    _of_memory(),
    Column("cluster_id", Text, ForeignKey("clusters.id", ondelete="CASCADE"), primary_key=True),
)

history = Table(
    "history",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("change_id", Text, nullable=False),
    _of_memory(primary=False),
    Column("version", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("actor", Text, nullable=False),
    Column("before", Text),
    Column("undone", Boolean, nullable=False, server_default=text("0")),
    Index("history_by_memory", "memory_id", "version"),
    Index("history_by_change", "change_id"),
    sqlite_autoincrement=True,
)
"""`before` is the whole memory as it was, in JSON; None where the change made it."""

row_history = Table(
    "row_history",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("change_id", Text, nullable=False),
    Column("project_id", Text),
    Column("memory_id", Text),
    Column("table_name", Text, nullable=False),
    Column("row_key", Text, nullable=False),
    Column("before", Text),
    Column("undone", Boolean, nullable=False, server_default=text("0")),
    Index("row_history_by_change", "change_id"),
    Index("row_history_by_row", "table_name", "row_key"),
    sqlite_autoincrement=True,
)
"""Links, aliases, settled conflicts and the map as they were before a change, in JSON; `before` is
None where the change made the row. It never holds what a memory says."""

aliases = Table(
    "aliases",
    metadata,
    Column("tenant_id", Text, primary_key=True, server_default="local"),
    Column("project_id", Text, primary_key=True, server_default=""),
    Column("term", Text, primary_key=True),
    Column("expansions", Text, nullable=False),
    Column("created_at", Integer, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("tenant_id", Text, primary_key=True, server_default="local"),
    Column("project_id", Text, primary_key=True, server_default=""),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    *_owned(),
    Column("project_id", Text, ForeignKey("projects.id")),
    Column("parent_session_id", Text),
    Column("agent_id", Text),
    Column("branch", Text),
    Column("transcript_path", Text),
    Column("transcript_offset", Integer),
    Column("summary", Text, nullable=False, server_default=""),
    Column("created_at", Integer, nullable=False),
    Column("finalized_at", Integer),
    Column("last_at", Integer),
    Column("always_on", Text, nullable=False, server_default=""),
    Column("reset_at", Integer),
    Column("held_out", Boolean, nullable=False, server_default=text("0")),
    Column("incognito", Boolean, nullable=False, server_default=text("0")),
)
"""`agent_id` is the client; `always_on` the block given at the start, the same until `reset_at`
moves on."""

findings = Table(
    "findings",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("importance", Float, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("file_paths", Text),
    Column("tags", Text),
    Column("promoted", Boolean, nullable=False, server_default=text("0")),
    Column("promoted_memory_id", Text),
    Column("created_at", Integer, nullable=False),
    Index("findings_by_session", "session_id"),
)

gaps = Table(
    "gaps",
    metadata,
    Column("id", Text, primary_key=True),
    *_owned(),
    Column("project_id", Text, ForeignKey("projects.id")),
    Column("session_id", Text),
    Column("model", Text),
    Column("context_embedding", LargeBinary),
    Column("context_snippet", Text, nullable=False),
    Column("at", Integer, nullable=False),
)

modules = Table(
    "modules",
    metadata,
    Column("id", Text, primary_key=True),
    Column("project_id", Text, ForeignKey("projects.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False, server_default=""),
    Column("core_files", Text, nullable=False, server_default="[]"),
    Column("entry_points", Text, nullable=False, server_default="[]"),
    Column("test_files", Text, nullable=False, server_default="[]"),
    Column("dependencies", Text, nullable=False, server_default="[]"),
    Column("related_modules", Text, nullable=False, server_default="[]"),
    Column("confidence", Text, nullable=False, server_default="shallow"),
    Column("edited", Text, nullable=False, server_default="{}"),
    Column("annotation", Text, nullable=False, server_default=""),
    Column("sessions", Text, nullable=False, server_default="[]"),
    Column("updated_at", Integer, nullable=False),
    Column("version", Integer, nullable=False, server_default=text("1")),
    UniqueConstraint("project_id", "name"),
)

module_edits = Table(
    "module_edits",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("project_id", Text, ForeignKey("projects.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("module", Text, nullable=False),
    Column("value", Text, nullable=False, server_default=""),
    Column("items", Text, nullable=False, server_default="[]"),
    Column("files", Text, nullable=False, server_default="[]"),
    Column("at", Integer, nullable=False),
    Column("actor", Text, nullable=False),
    Index("module_edits_by_project", "project_id", "seq"),
    sqlite_autoincrement=True,
)
"""What people changed in the module map, in order; applied again to whatever a scan finds."""

anchors = Table(
    "anchors",
    metadata,
    _of_memory(),
    Column("position", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("symbol", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("digest", Text, nullable=False, server_default=""),
    Column("span", Text, nullable=False, server_default=""),
    Column("head", Text),
    Column("dirty", Boolean, nullable=False, server_default=text("0")),
    Column("at", Integer, nullable=False),
    Index("anchors_by_path", "path"),
)
"""Where in the code a memory holds: a symbol, a block of text or a whole file, and its hash.
`head` is the commit it was taken at, `dirty` whether the file differed from that commit; `span`
is a small sketch of the text, so that a span that was moved and edited is known again."""

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    *_owned(),
    Column("at", Integer, nullable=False),
    Column("project_id", Text),
    Column("session_id", Text, nullable=False),
    Column("task_id", Text),
    Column("subagent_id", Text),
    Column("subagent_kind", Text, nullable=False, server_default=""),
    Column("client", Text, nullable=False),
    Column("moment", Text, nullable=False),
    Column("tool", Text, nullable=False, server_default=""),
    Column("parameters", Text, nullable=False, server_default="{}"),
    Column("result", Text, nullable=False, server_default=""),
    Column("success", Boolean),
    Column("error", Text, nullable=False, server_default=""),
    Column("duration_ms", Integer),
    Column("context_tokens", Integer),
    Column("result_tokens", Integer),
    Column("why", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False, server_default=""),
    Column("key", Text, nullable=False, unique=True),
    Index("events_by_session", "session_id", "seq"),
    Index("events_by_tool", "tool", "at"),
    Index("events_by_time", "at"),
    sqlite_autoincrement=True,
)
"""What was done in sessions, only ever appended to: seed-001's `tool_executions`. `key` is equal
for one event that reaches us twice."""

event_files = Table(
    "event_files",
    metadata,
    Column("event_seq", Integer, ForeignKey("events.seq", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("line_start", Integer),
    Column("line_end", Integer),
    Column("changed", Text, nullable=False, server_default=""),
    Index("event_files_by_path", "path"),
)
"""The files an event worked with: seed-001's `file_interactions`."""

injections = Table(
    "injections",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    *_owned(),
    Column("at", Integer, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("project_id", Text),
    Column("client", Text, nullable=False),
    Column("moment", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("memory_id", Text),
    Column("tokens", Integer, nullable=False),
    Column("why", Text, nullable=False, server_default=""),
    Column("score", Float),
    Column("rejected_at", Integer),
    Column("referenced_at", Integer),
    Index("injections_by_session", "session_id", "seq"),
    Index("injections_by_memory", "memory_id"),
    sqlite_autoincrement=True,
)
"""What was put into which session and why; it holds ids and reasons, never what a memory says."""

metrics = Table(
    "metrics",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("at", Integer, nullable=False),
    Column("project_id", Text),
    Column("session_id", Text),
    Column("name", Text, nullable=False),
    Column("value", Float, nullable=False),
    Index("metrics_by_name", "name", "at"),
    sqlite_autoincrement=True,
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("memory_id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("project_id", Text),
    Column("row", Integer, nullable=False),
    Column("at", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Index("tombstones_by_seq", "seq"),
)
"""What was erased: ids only, so that warm readers and other copies erase it too."""

audit = Table(
    "audit",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    *_owned(),
    Column("at", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("memory_id", Text),
    Column("project_id", Text),
    Column("change_id", Text),
    Column("detail", Text, nullable=False, server_default=""),
    Index("audit_by_memory", "memory_id"),
    sqlite_autoincrement=True,
)
"""What was done, by whom, to which id; never what it said."""

AUDIT_LIMIT, AUDIT_KEPT = 5_000, 4_000
"""The trail is cut back to the newest AUDIT_KEPT events once it holds more than AUDIT_LIMIT."""
