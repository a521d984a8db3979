"""What the matches of a study can tell, and how well: estimators, efficiency, the choice of a formula, coverage."""

STUDY = "part2"  # the study of cells that the statistics are about
EFFICIENT = {"luck": "efficient-luck", "errors": "efficient-errors", "plain": "efficient-plain"}
OTHER_STUDIES = ("part1", "check-both-noisy", "appendix2")  # formulas are judged on them, fitted to none
TOURNAMENTS = ("tournament/default",)
TABLES = ("estimators", "efficiency", "contest", "scalings", "errors_in_variables", "plan_cells", "efficient")
COVERAGE_TABLES = ("coverage", "person_coverage", "sequential")
