"""From error rates to a rating and a chance of winning.

Formulas, their intervals, the field, the calculator.
"""
