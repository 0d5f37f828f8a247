"""Tasks: a session cut into what was asked, with what was done for each."""
