"""From match tables to a rating formula: rates, cells, estimators, fits, and the formula itself."""
