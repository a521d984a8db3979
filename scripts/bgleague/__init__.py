"""Ratings from results.

Lists of games, five rating systems, and the round robin of gnubg levels.
"""
