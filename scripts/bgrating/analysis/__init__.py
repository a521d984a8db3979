"""What the engine makes of matches, kept so that it analyses nothing twice."""
