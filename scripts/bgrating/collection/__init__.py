"""Collections of human matches: what is in them, what the engine makes of them, tables and pages."""
