"""Ratings from results: lists of games, five rating systems, and the round robin of gnubg levels."""

import bgrating  # noqa: F401 - before numpy: it selects the code that numpy runs
