"""Collections of human matches: what is in them, and what the engine makes of them."""
