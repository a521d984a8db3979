"""Play, analyse and judge within gnubg's own Python.

It imports the standard library, `gnubg`, and modules of ours that need no more.
"""
