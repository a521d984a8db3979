"""Measure every interval and every chance that a user reads against a known truth.

`figures.toml` lists them; `surfaces.py` finds those that the list lacks. Each module of
`SIMULATIONS` (run.py) draws worlds whose truth is known, asks the product, and returns rows
(rows.py).
"""
