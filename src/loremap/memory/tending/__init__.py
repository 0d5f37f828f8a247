"""Looking after what is known: who is believed, who fades, who goes; done by itself, undone as one."""
