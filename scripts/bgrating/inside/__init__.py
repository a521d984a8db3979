"""Runs in gnubg's own Python.

Imports the standard library, `gnubg`, and modules of ours that need no more.
"""
