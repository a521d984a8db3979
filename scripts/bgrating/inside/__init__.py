"""What runs in gnubg's own Python: the standard library, `gnubg`, and those of our modules that need no more."""
