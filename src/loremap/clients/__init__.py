"""What differs between coding agents: what they send and write down, what their settings say."""
