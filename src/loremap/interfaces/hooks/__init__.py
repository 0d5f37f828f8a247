"""What a client starts at an event of a session, and what answers it in the resident."""
