"""From matches to a formula: cells, estimators, points, fits and what they recommend."""
