"""The page of `bgrating serve`: drop files, see them rated.

It runs the commands `rate` and `ratings`.
"""
