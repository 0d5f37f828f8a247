"""Everything about the store that only PostgreSQL does: tenants by row-level security, locks, and
its twin of the text index. Needs the extra `postgres`."""
