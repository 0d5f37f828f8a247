"""What quality and speed are measured with; not part of the installed package."""
