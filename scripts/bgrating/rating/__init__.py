"""From error rates to a rating and a chance of winning: formulas, their intervals, the field, the calculator."""
