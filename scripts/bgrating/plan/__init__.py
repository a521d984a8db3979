"""How many matches where, and where with luck analysis: costs, variances, allocation, stopping."""
