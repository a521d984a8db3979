"""Attacks on the readers of files from strangers, and on runs: `./run fuzz --collection DIR`
(__main__.py).
"""
