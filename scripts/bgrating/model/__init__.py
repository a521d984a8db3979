"""From one row a match to a rating formula: points, fits and the formula's own file."""
