"""The log under the names that its design gave it, for questions nobody has thought of yet."""
