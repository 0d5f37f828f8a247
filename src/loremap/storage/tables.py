"""The tables, shared by every database. Times are milliseconds since 1970, UTC."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)
from sqlalchemy.schema import SchemaItem

from loremap.storage.sql import Vector, next_number, this_tenant

metadata = MetaData()
TENANT = "tenant_id"


def _table(name: str, *items: SchemaItem) -> Table:
    """A table whose rows, keys and indexes all belong to a tenant."""
    tenant = Column(TENANT, Text, primary_key=True, nullable=False, server_default=this_tenant())
    return Table(name, metadata, tenant, *items)


def _number(name: str, *of: str, primary: bool = True) -> Column[int]:
    """A column that counts the rows of a table up, each tenant's by themselves; no number is given
    out twice while what had it, or the note of its erasure, is there."""
    return Column(
        name,
        BigInteger,
        primary_key=primary,
        autoincrement=False,
        nullable=False,
        default=next_number(name, *of),
        info={"numbered": True},
    )


def _index(name: str, *columns: Any, **rest: Any) -> Index:
    return Index(name, TENANT, *columns, **rest)


def _unique(*columns: str) -> UniqueConstraint:
    return UniqueConstraint(TENANT, *columns)


def _refers(column: str, table: str, key: str = "id", **rest: Any) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([TENANT, column], [f"{table}.{TENANT}", f"{table}.{key}"], **rest)


def _owner() -> Column[str]:
    """Whose of the tenant a row is."""
    return Column("owner_id", Text, nullable=False, server_default="me")


meta = _table(
    "meta",
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about what a tenant stores here: its change counter, what is still to be cleaned."""

migrations = Table(
    "migrations",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("applied_at", BigInteger, nullable=False),
    Column("program_version", Text, nullable=False),
    Column("oldest_program", Text, nullable=False),
)
"""What the schema went through; `oldest_program` may still use it after that step. It is the one
table that belongs to no tenant."""

projects = _table(
    "projects",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("name", Text, nullable=False),
    Column("remote", Text),
    Column("root_commit", Text),
    Column("memory_enabled", Boolean, nullable=False, server_default=true()),
    Column("auto_memory_enabled", Boolean, nullable=False, server_default=true()),
    Column("config_preset", Text, nullable=False, server_default="balanced"),
    Column("build_tool", Text),
    Column("build_commands", Text),
    Column("test_tool", Text),
    Column("test_config_file", Text),
    Column("test_run_command", Text),
    Column("map_version", BigInteger, nullable=False, server_default=text("0")),
    Column("map_updated_at", BigInteger),
    Column("last_compacted_at", BigInteger),
    Column("total_promotions", BigInteger, nullable=False, server_default=text("0")),
    Column("total_evictions", BigInteger, nullable=False, server_default=text("0")),
    Column("total_accesses", BigInteger, nullable=False, server_default=text("0")),
    Column("total_recalls", BigInteger, nullable=False, server_default=text("0")),
    Column("tended_at_recall", BigInteger, nullable=False, server_default=text("0")),
    Column("git_read", Text, nullable=False, server_default=""),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
)

project_aliases = _table(
    "project_aliases",
    Column("key", Text, primary_key=True),
    Column("project_id", Text, nullable=False),
    _refers("project_id", "projects"),
    Column("created_at", BigInteger, nullable=False),
    _index("project_aliases_by_project", "project_id"),
)

memories = _table(
    "memories",
    _number("row", "memories", "erasures", primary=False),
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("created_by", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("is_code", Boolean, nullable=False, server_default=false()),
    Column("status", Text, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("tainted", Boolean, nullable=False, server_default=false()),
    Column("origin", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("trust", Float, nullable=False),
    Column("uses", BigInteger, nullable=False, server_default=text("0")),
    Column("repetitions", BigInteger, nullable=False, server_default=text("0")),
    Column("confirmations", BigInteger, nullable=False, server_default=text("0")),
    Column("helpful", BigInteger, nullable=False, server_default=text("0")),
    Column("unhelpful", BigInteger, nullable=False, server_default=text("0")),
    Column("session_id", Text),
    Column("message_start", BigInteger),
    Column("message_end", BigInteger),
    Column("agent", Text),
    Column("branch", Text),
    Column("commit_id", Text),
    Column("source_file", Text),
    Column("seasonal", Text),
    Column("recency_weight", Float, nullable=False, server_default=text("1.0")),
    Column("superseded_by", Text),
    Column("retracted_reason", Text),
    Column("valid_until", BigInteger),
    Column("promoted_at", BigInteger),
    Column("judged_at", BigInteger),
    Column("procedure", Text),
    Column("attached", Text, nullable=False, server_default="[[],[],[]]"),
    Column("fingerprint", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("last_accessed_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    Column("checksum", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    _unique("row"),
    _index("memories_by_seq", "seq"),
    _index("memories_by_project", "project_id", "created_at"),
    _index("memories_by_session", "session_id", "created_at"),
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
    info={"where": "status IN ('candidate', 'confirmed') AND deleted_at IS NULL"},
)


def _of_memory(*, primary: bool = True) -> tuple[SchemaItem, SchemaItem]:
    column: Column[str] = Column("memory_id", Text, primary_key=primary, nullable=False)
    return column, _refers("memory_id", "memories", ondelete="CASCADE")


memory_files = _table(
    "memory_files",
    *_of_memory(),
    Column("path", Text, primary_key=True),
    _index("memory_files_by_path", "path"),
)

tags = _table(
    "tags",
    Column("name", Text, primary_key=True),
    Column("description", Text, nullable=False, server_default=""),
    Column("created_at", BigInteger, nullable=False),
)

memory_tags = _table(
    "memory_tags",
    *_of_memory(),
    Column("tag", Text, primary_key=True),
    _index("memory_tags_by_tag", "tag"),
)

inferred_tags = _table(
    "inferred_tags",
    *_of_memory(),
    Column("tag", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("refused", Boolean, nullable=False, server_default=false()),
    _index("inferred_tags_by_tag", "tag"),
)
"""Tags that nobody set: what they were read from, and whether a person took them away. They can be
made again and are no part of a memory's history."""

triggers = _table(
    "triggers",
    *_of_memory(),
    Column("position", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("pattern", Text, nullable=False),
    Column("target", Text, nullable=False, server_default="any"),
)

provenance = _table(
    "provenance",
    *_of_memory(),
    Column("position", BigInteger, primary_key=True),
    Column("source", Text, nullable=False),
    Column("session_id", Text),
    Column("at", BigInteger, nullable=False),
    Column("snippet", Text, nullable=False, server_default=""),
    Column("confidence_reason", Text, nullable=False, server_default=""),
    Column("file", Text),
    Column("line", BigInteger),
    Column("actor", Text, nullable=False, server_default=""),
    Column("agent", Text),
    Column("branch", Text),
    Column("commit_id", Text),
)
"""Who said or wrote what a memory says, with which program, in which session, on what code."""

vectors = _table(
    "vectors",
    *_of_memory(),
    Column("model", Text, primary_key=True),
    Column("chunk", BigInteger, primary_key=True),
    Column("dim", BigInteger, nullable=False),
    Column("vector", Vector, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    _index("vectors_by_seq", "model", "seq"),
)
"""`fingerprint` is that of the text the vector was made from: after an edit it no longer fits."""

signals = _table(
    "signals",
    Column("id", Text, primary_key=True),
    *_of_memory(primary=False),
    Column("sign", Text, nullable=False),
    Column("voice", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("session_id", Text),
    Column("agent", Text),
    Column("at", BigInteger, nullable=False),
    _index("signals_by_memory", "memory_id", "at"),
)
"""What speaks for and against a memory: that later work used it, that somebody voted for or against
it; who, in which session, with which client. It holds no words."""

links = _table(
    "links",
    Column("source_id", Text, primary_key=True),
    _refers("source_id", "memories", ondelete="CASCADE"),
    Column("target_id", Text, primary_key=True),
    _refers("target_id", "memories", ondelete="CASCADE"),
    Column("relation", Text, primary_key=True),
    Column("weight", Float, nullable=False, server_default=text("1.0")),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("checksum", Text, nullable=False, server_default=""),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    CheckConstraint("source_id <> target_id", name="links_join_two"),
    _index("links_by_target", "target_id"),
)

conflicts = _table(
    "conflicts",
    Column("id", Text, primary_key=True),
    Column("memory_a", Text, nullable=False),
    _refers("memory_a", "memories", ondelete="CASCADE"),
    Column("memory_b", Text, nullable=False),
    _refers("memory_b", "memories", ondelete="CASCADE"),
    Column("type", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("detected_at", BigInteger, nullable=False),
    Column("resolved_at", BigInteger),
    Column("resolution", Text),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _unique("memory_a", "memory_b"),
    _index("conflicts_by_b", "memory_b"),
)

clusters = _table(
    "clusters",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("name", Text, nullable=False, server_default=""),
    Column("model", Text, nullable=False),
    Column("dim", BigInteger, nullable=False),
    Column("centroid", LargeBinary, nullable=False),
    Column("member_count", BigInteger, nullable=False, server_default=text("0")),
    Column("updated_at", BigInteger, nullable=False),
    Column("named_at", BigInteger),
    _index("clusters_by_project", "project_id"),
)
"""`named_at` is when the small model was asked for a name, once."""

memory_clusters = _table(
    "memory_clusters",
    *_of_memory(),
    Column("cluster_id", Text, primary_key=True),
    _refers("cluster_id", "clusters", ondelete="CASCADE"),
    Column("closeness", Float, nullable=False, server_default=text("1.0")),
    _index("memory_clusters_by_cluster", "cluster_id"),
)

entities = _table(
    "entities",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("mention_count", BigInteger, nullable=False, server_default=text("0")),
    Column("last_mentioned", BigInteger),
    Column("model", Text),
    Column("embedding", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _unique("owner_id", "project_id", "key"),
)
"""What memories speak of. `key` is the name as it is compared; an empty project is everywhere."""

entity_names = _table(
    "entity_names",
    Column("entity_id", Text, primary_key=True),
    _refers("entity_id", "entities", ondelete="CASCADE"),
    Column("key", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("source", Text, nullable=False),
    _index("entity_names_by_key", "key"),
)
"""Other names of an entity, and where each is from."""

mentions = _table(
    "mentions",
    *_of_memory(),
    Column("entity_id", Text, primary_key=True),
    _refers("entity_id", "entities", ondelete="CASCADE"),
    _index("mentions_by_entity", "entity_id"),
)
"""Which memory speaks of which entity; can be made again from their words."""

facts = _table(
    "facts",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text, nullable=False, server_default=""),
    Column("visibility", Text, nullable=False),
    Column("subject_id", Text, nullable=False),
    _refers("subject_id", "entities", ondelete="CASCADE"),
    Column("predicate", Text, nullable=False),
    Column("object_id", Text),
    _refers("object_id", "entities", ondelete="CASCADE"),
    Column("object_value", Text),
    Column("status", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("access_count", BigInteger, nullable=False, server_default=text("0")),
    Column("last_accessed_at", BigInteger, nullable=False),
    Column("valid_from", BigInteger, nullable=False),
    Column("valid_until", BigInteger),
    Column("superseded_by", Text),
    Column("retracted_reason", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _index("facts_by_subject", "subject_id", "predicate"),
    _index("facts_by_object", "object_id"),
    _index("facts_by_project", "project_id", "status"),
)
"""Subject, predicate, and another entity or a value."""

fact_sources = _table(
    "fact_sources",
    Column("fact_id", Text, primary_key=True),
    _refers("fact_id", "facts", ondelete="CASCADE"),
    *_of_memory(),
    Column("at", BigInteger, nullable=False),
    _index("fact_sources_by_memory", "memory_id"),
)
"""The memories that a fact was read from; one that a person stated has none."""

facts_read = _table(
    "facts_read",
    *_of_memory(),
    Column("fingerprint", Text, nullable=False),
    Column("rules", BigInteger, nullable=False),
    Column("waits", Text, nullable=False, server_default=""),
)
"""Which memories were read for facts, in what words and by which rules; `waits` holds the keys of
subjects that were not known then."""

proposals = _table(
    "proposals",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("items", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("decided_at", BigInteger),
    Column("decision", Text),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _index("proposals_by_project", "project_id", "created_at"),
)
"""What would be merged or let go where that is more than a handful: ids and reasons, no words; done
only when a person says so."""

history = _table(
    "history",
    _number("seq", "history"),
    Column("change_id", Text, nullable=False),
    *_of_memory(primary=False),
    Column("version", BigInteger, nullable=False),
    Column("action", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("before", Text),
    Column("undone", Boolean, nullable=False, server_default=false()),
    _index("history_by_memory", "memory_id", "version"),
    _index("history_by_change", "change_id"),
)
"""`before` is the whole memory as it was, in JSON; None where the change made it."""

row_history = _table(
    "row_history",
    _number("seq", "row_history"),
    Column("change_id", Text, nullable=False),
    Column("project_id", Text),
    Column("memory_id", Text),
    Column("table_name", Text, nullable=False),
    Column("row_key", Text, nullable=False),
    Column("before", Text),
    Column("undone", Boolean, nullable=False, server_default=false()),
    _index("row_history_by_change", "change_id"),
    _index("row_history_by_row", "table_name", "row_key"),
)
"""Rows other than memories as they were before a change, in JSON; `before` is None where the change
made the row. It holds no statement of a memory; what quotes one goes when that is erased."""

aliases = _table(
    "aliases",
    Column("project_id", Text, primary_key=True, server_default=""),
    Column("term", Text, primary_key=True),
    Column("expansions", Text, nullable=False),
    Column("source", Text, nullable=False, server_default="user"),
    Column("created_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
)

sessions = _table(
    "sessions",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("parent_session_id", Text),
    Column("agent_id", Text),
    Column("branch", Text),
    Column("transcript_path", Text),
    Column("folder", Text),
    Column("summary", Text, nullable=False, server_default=""),
    Column("work", Text, nullable=False, server_default="{}"),
    Column("learned_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("finished_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("learned_at", BigInteger),
    Column("sidecar_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("created_at", BigInteger, nullable=False),
    Column("finalized_at", BigInteger),
    Column("last_at", BigInteger),
    Column("heard_at", BigInteger),
    Column("heard_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("always_on", Text, nullable=False, server_default=""),
    Column("reset_at", BigInteger),
    Column("held_out", Boolean, nullable=False, server_default=false()),
    Column("incognito", Boolean, nullable=False, server_default=false()),
    _index("sessions_by_project", "project_id", "heard_at"),
)
"""`agent_id` is the client; `always_on` the block given at the start, the same until `reset_at`
moves on; `work` what it did and left open, by which later sessions go. `heard_at` and `heard_seq`
are of its last event, kept so that nobody has to look through the log for them. `learned_seq` is
the last event that was read for what it teaches, `finished_seq` the last after which it was taken
for over, `learned_at` when its findings became memories, `sidecar_seq` the last that the small
model was shown."""

findings = _table(
    "findings",
    Column("id", Text, primary_key=True),
    Column("session_id", Text, nullable=False),
    _refers("session_id", "sessions", ondelete="CASCADE"),
    Column("fingerprint", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("quote", Text, nullable=False, server_default=""),
    Column("said_by", Text, nullable=False),
    Column("message_start", BigInteger, nullable=False),
    Column("message_end", BigInteger, nullable=False),
    Column("at", BigInteger),
    Column("because", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("importance", Float),
    Column("confidence", Float),
    Column("file_paths", Text, nullable=False, server_default="[]"),
    Column("tags", Text, nullable=False, server_default="[]"),
    Column("rejected", Text, nullable=False, server_default="[]"),
    Column("amends", Text, nullable=False, server_default=""),
    Column("agent", Text, nullable=False, server_default=""),
    Column("promoted", Boolean, nullable=False, server_default=false()),
    Column("promoted_memory_id", Text),
    Column("refused", Text, nullable=False, server_default=""),
    Column("inherited", Boolean, nullable=False, server_default=false()),
    Column("created_at", BigInteger, nullable=False),
    _unique("session_id", "fingerprint"),
)
"""What sessions taught. `agent` is the role of the subagent that met it, `promoted_memory_id` what
became of it, `refused` why nothing did; `inherited` is what a fork had from its parent."""

announced = _table(
    "announced",
    *_of_memory(),
    Column("at", BigInteger, nullable=False),
)
"""Which memories that sessions have taught a person was told of, each once."""

tasks = _table(
    "tasks",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("session_id", Text, nullable=False),
    Column("branch", Text),
    Column("description", Text, nullable=False),
    Column("intent", Text),
    Column("status", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
    Column("files_touched", Text, nullable=False, server_default="[]"),
    Column("tools_used", Text, nullable=False, server_default="{}"),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("set_by", Text, nullable=False, server_default="rule"),
    Column("spans", Text, nullable=False, server_default="[]"),
    Column("model", Text),
    Column("embedding", LargeBinary),
    Column("updated_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _index("tasks_by_status", "status", "started_at"),
    _index("tasks_by_session", "session_id"),
    _index("tasks_by_project", "project_id", "started_at"),
)
"""What was asked in sessions and what was done for it. `session_id` is empty where a person began
it outside any; `set_by` says whether a rule or a person says how it stands; `spans` are the times
at which one that a person began was at work, in pairs."""

patterns = _table(
    "patterns",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text, nullable=False),
    _refers("project_id", "projects"),
    Column("pattern_type", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("pattern_data", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("observed_count", BigInteger, nullable=False),
    Column("against_count", BigInteger, nullable=False, server_default=text("0")),
    Column("session_count", BigInteger, nullable=False),
    Column("clients", Text, nullable=False, server_default="[]"),
    Column("first_seen", BigInteger, nullable=False),
    Column("last_seen", BigInteger, nullable=False),
    Column("memory_id", Text),
    Column("forgotten_at", BigInteger),
    _unique("project_id", "pattern_type", "key"),
)
"""What happens again and again. `key` is a digest of what makes it this pattern; `memory_id` what
it became; one that is forgotten keeps its key alone, so that it is not learned again."""

pattern_files = _table(
    "pattern_files",
    Column("pattern_id", Text, primary_key=True),
    _refers("pattern_id", "patterns", ondelete="CASCADE"),
    Column("path", Text, primary_key=True),
    Column("pattern_type", Text, nullable=False),
    _index("pattern_files_by_path", "path", "pattern_type"),
)
"""The files by which patterns are looked up; the type stands here too, because a file has many
patterns and an agent waits for those of one type."""

pattern_sightings = _table(
    "pattern_sightings",
    Column("pattern_id", Text, primary_key=True),
    _refers("pattern_id", "patterns", ondelete="CASCADE"),
    Column("session_id", Text, primary_key=True),
    Column("client", Text, nullable=False, server_default=""),
    Column("supports", BigInteger, nullable=False),
    Column("against", BigInteger, nullable=False, server_default=text("0")),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("data", Text, nullable=False),
    Column("file_paths", Text, nullable=False, server_default="[]"),
    Column("remembered", Boolean, nullable=False, server_default=false()),
    _index("pattern_sightings_by_session", "session_id"),
)
"""What each session shows of a pattern, once however often it is read; they outlive their
sessions. `remembered` says that it was told to the memory that the pattern became."""

past_reads = _table(
    "past_reads",
    Column("client", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("mark", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""How far each session of the past was read; it holds no word of one, and stays when the session's
row is pruned, so that what was imported once is not learned again."""

pauses = _table(
    "pauses",
    Column("id", Text, primary_key=True),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("cause", Text, nullable=False),
    Column("began_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
"""The times at which nothing was to be learned: everywhere where there is no project."""

gaps = _table(
    "gaps",
    Column("id", Text, primary_key=True),
    _owner(),
    Column("project_id", Text),
    _refers("project_id", "projects"),
    Column("session_id", Text),
    Column("model", Text),
    Column("context_embedding", LargeBinary),
    Column("context_snippet", Text, nullable=False),
    Column("times", BigInteger, nullable=False, server_default=text("1")),
    Column("at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    _index("gaps_by_project", "project_id", "last_at"),
)
"""What was asked and nothing here answered: the redacted prompt, how often, when it was closed."""

modules = _table(
    "modules",
    Column("id", Text, primary_key=True),
    Column("project_id", Text, nullable=False),
    _refers("project_id", "projects"),
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
    Column("updated_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False, server_default=text("1")),
    _unique("project_id", "name"),
)

module_edits = _table(
    "module_edits",
    _number("seq", "module_edits"),
    Column("project_id", Text, nullable=False),
    _refers("project_id", "projects"),
    Column("kind", Text, nullable=False),
    Column("module", Text, nullable=False),
    Column("value", Text, nullable=False, server_default=""),
    Column("items", Text, nullable=False, server_default="[]"),
    Column("files", Text, nullable=False, server_default="[]"),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    _index("module_edits_by_project", "project_id", "seq"),
)
"""What people changed in the module map, in order; applied again to whatever a scan finds."""

anchors = _table(
    "anchors",
    *_of_memory(),
    Column("position", BigInteger, primary_key=True),
    Column("path", Text, nullable=False),
    Column("symbol", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("digest", Text, nullable=False, server_default=""),
    Column("span", Text, nullable=False, server_default=""),
    Column("head", Text),
    Column("dirty", Boolean, nullable=False, server_default=false()),
    Column("at", BigInteger, nullable=False),
    _index("anchors_by_path", "path"),
)
"""Where in the code a memory holds: a symbol, a block of text or a whole file, and its hash.
`head` is the commit it was taken at, `dirty` whether the file differed from that commit; `span`
is a small sketch of the text, so that a span that was moved and edited is known again."""

events = _table(
    "events",
    _number("seq", "events"),
    Column("id", Text, nullable=False),
    _owner(),
    Column("at", BigInteger, nullable=False),
    Column("project_id", Text),
    Column("session_id", Text, nullable=False),
    Column("turn_id", Text),
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
    Column("duration_ms", BigInteger),
    Column("context_tokens", BigInteger),
    Column("result_tokens", BigInteger),
    Column("why", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False, server_default=""),
    Column("key", Text, nullable=False),
    _unique("id"),
    _unique("key"),
    _index("events_by_session", "session_id", "seq"),
    _index("events_by_task", "task_id"),
    _index("events_by_project", "project_id", "at", "tool", "success", "duration_ms"),
    _index("events_by_tool", "tool", "at"),
    _index("events_by_time", "at"),
)
"""What was done in sessions, only ever appended to; `task_id` alone is set afterwards, when the
session was read, and again when it went on. `turn_id` is what the client calls the turn; `key` is
equal for one event that reaches us twice."""

event_files = _table(
    "event_files",
    Column("event_seq", BigInteger, primary_key=True),
    _refers("event_seq", "events", "seq", ondelete="CASCADE"),
    Column("position", BigInteger, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("project_id", Text),
    Column("at", BigInteger, nullable=False),
    Column("path", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("line_start", BigInteger),
    Column("line_end", BigInteger),
    Column("changed", Text, nullable=False, server_default=""),
    _index("event_files_by_path", "path", "project_id", "at"),
    _index("event_files_by_session", "session_id", "path"),
    _index("event_files_by_operation", "operation", "at"),
    _index("event_files_by_project", "project_id", "at"),
)
"""The files an event worked with; session, project and time are those of the event, so that what
is asked of files is found in one index."""

context_snapshots = _table(
    "context_snapshots",
    Column("id", Text, primary_key=True),
    Column("event_seq", BigInteger, nullable=False),
    _refers("event_seq", "events", "seq", ondelete="CASCADE"),
    Column("at", BigInteger, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("task_id", Text),
    Column("context_items", Text, nullable=False),
    Column("total_tokens", BigInteger, nullable=False),
    Column("pruned_items", Text, nullable=False, server_default="[]"),
    Column("reason", Text, nullable=False),
    _unique("event_seq", "reason"),
    _index("context_snapshots_by_session", "session_id"),
)
"""What we had put into a context when it was compacted or the task changed: ids, tokens, scores."""

injections = _table(
    "injections",
    _number("seq", "injections"),
    Column("id", Text, nullable=False),
    _unique("id"),
    _owner(),
    Column("at", BigInteger, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("project_id", Text),
    Column("client", Text, nullable=False),
    Column("moment", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("memory_id", Text),
    Column("tokens", BigInteger, nullable=False),
    Column("why", Text, nullable=False, server_default=""),
    Column("score", Float),
    Column("rejected_at", BigInteger),
    Column("referenced_at", BigInteger),
    Column("patterns", Text, nullable=False, server_default="[]"),
    _index("injections_by_session", "session_id", "seq"),
    _index("injections_by_memory", "memory_id"),
)
"""What was put into which session and why; it holds ids and reasons, never what a memory says."""

metrics = _table(
    "metrics",
    _number("seq", "metrics"),
    Column("at", BigInteger, nullable=False),
    Column("project_id", Text),
    Column("session_id", Text),
    Column("name", Text, nullable=False),
    Column("value", Float, nullable=False),
    _index("metrics_by_name", "name", "at"),
)

sidecar_days = _table(
    "sidecar_days",
    Column("owner_id", Text, primary_key=True, server_default="me"),
    Column("day", Text, primary_key=True),
    Column("calls", BigInteger, nullable=False, server_default=text("0")),
    Column("tokens", BigInteger, nullable=False, server_default=text("0")),
    Column("micro_dollars", BigInteger, nullable=False, server_default=text("0")),
    Column("full_at", BigInteger),
)
"""What the small model used on a day (UTC), what is under way included; `full_at` is when a ceiling
was first met."""

sidecar_calls = _table(
    "sidecar_calls",
    _number("seq", "sidecar_calls"),
    _owner(),
    Column("at", BigInteger, nullable=False),
    Column("task", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("project_id", Text),
    Column("session_id", Text),
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("micro_dollars", BigInteger, nullable=False),
    Column("took_ms", BigInteger, nullable=False),
    Column("fault", Text, nullable=False, server_default=""),
    _index("sidecar_calls_by_time", "at"),
)
"""The requests to the small model: counts and what went wrong, never what was asked or answered."""

erasures = _table(
    "erasures",
    Column("memory_id", Text, primary_key=True),
    Column("project_id", Text),
    Column("row", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    _index("erasures_by_seq", "seq"),
)
"""What was erased: ids only, so that warm readers and other copies erase it too."""

tombstones = _table(
    "tombstones",
    Column("owner_id", Text, primary_key=True, server_default="me"),
    Column("project_id", Text, primary_key=True, server_default=""),
    Column("fingerprint", Text, primary_key=True),
    Column("why", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("model", Text),
    Column("vector", LargeBinary),
    Column("terms", Text, nullable=False, server_default="[]"),
)
"""The fingerprints of what was forgotten, withdrawn or declined, which no agent and no file teaches
again. Of what a person called wrong also what its neighbours are known by: a vector, and its words
as hashes under a key of this store; never the words."""

audit = _table(
    "audit",
    _number("seq", "audit"),
    _owner(),
    Column("at", BigInteger, nullable=False),
    Column("action", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("memory_id", Text),
    Column("project_id", Text),
    Column("change_id", Text),
    Column("detail", Text, nullable=False, server_default=""),
    _index("audit_by_memory", "memory_id"),
)
"""What was done, by whom, to which id; never what it said."""

AUDIT_LIMIT, AUDIT_KEPT = 5_000, 4_000
"""The trail is cut back to the newest AUDIT_KEPT events once it holds more than AUDIT_LIMIT."""

WRITTEN_ONCE = ", ".join(f'"{column.name}"' for column in events.c if column.name != "task_id")
"""The columns of events that nothing changes; what an event was done for is found afterwards."""
