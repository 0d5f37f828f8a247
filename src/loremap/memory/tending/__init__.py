"""Looking after what is known: who is believed, who fades, who goes; undone as one."""
