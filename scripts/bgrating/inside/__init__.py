"""Runs in gnubg's own Python: imports the standard library, `gnubg`, and modules of ours that need no more."""
