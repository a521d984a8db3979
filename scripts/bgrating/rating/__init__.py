"""Turn error rates into a rating and a chance of winning.

The package has formulas, their intervals, the population of players, and the calculator.
"""
