"""The memory as tools, resources and prompts of the Model Context Protocol."""
