"""What an agent is told: modules and memories in few words, within a budget of tokens."""
