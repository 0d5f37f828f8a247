"""What one file says alone: its definitions, imports, bindings, calls and reads."""
