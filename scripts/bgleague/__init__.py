"""Rate players by their results.

The package has readers of lists, five rating systems, and the round robin of gnubg levels.
"""
