"""Ratings from results: lists of games, five rating systems, and the round robin of gnubg levels."""
