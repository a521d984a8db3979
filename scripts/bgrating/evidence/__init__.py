"""What the matches of a study can tell, and how well: estimators, efficiency, the choice of a formula, coverage."""
