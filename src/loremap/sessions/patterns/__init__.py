"""What happens again and again in sessions: a rule for each kind of pattern."""
