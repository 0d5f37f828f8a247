"""Finding the few memories that answer: sources, recipes, gate and trace."""
