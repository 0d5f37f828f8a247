"""The memory agent: it knows every session and answers each in time. See `agent.py`."""
