"""Ratings from results: a table of games, and three published systems that rate its players."""
