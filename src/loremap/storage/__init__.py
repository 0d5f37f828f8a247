"""The store: tables, migrations, text index, vectors, history and audit. SQL lives here only."""
