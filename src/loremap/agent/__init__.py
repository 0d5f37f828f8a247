"""The memory agent: it knows every session and answers each in time. A session is a value
(`state.py`), changed by one pure function (`reduce.py`); start reading there, and at
`session_agent.py`, the shell around it."""
