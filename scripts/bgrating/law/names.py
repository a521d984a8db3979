"""Names that rules and modules of the law share: its studies, its tables, its domain."""

FITTED = ("part2", "part1")  # what the law is fitted to, from LEAST_LENGTH up
TEST = "inside"  # what it is judged on; never fitted
LEAST_LENGTH = 3
# Lengths of 1.08 that were whole when those of TEST were: docs/preregistration.md fits the tested law to them.
TESTED_LENGTHS = {"1.08": (3, 5, 7)}
LIMIT = 450.0  # rating points: the domain is where the predicted difference is below it
# What the formula of the law is fitted to: every study of noisy players with the same match-equity table. Never TEST.
STUDIES = ("part2", "part1", "appendix2", "check-both-noisy", "efficient-luck")
CUTS = (300.0, 450.0, 600.0)  # limits whose goodness of fit is shown beside each other
FORMULAS = {"formula": "inside the domain", "outside": "outside it, with the product of both rates"}
TABLES = ("coefficients", "at_lengths", "test", "test_points", "engines")
FORMULA_TABLES = ("cuts", "lengths")
COVERAGE_STUDIES, COVERAGE_SEED = 1000, 20061
