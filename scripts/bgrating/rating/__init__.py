"""Turn error rates into a rating and a chance of winning.

The package has formulas, their intervals, the field of players, and the calculator.
"""
