"""The law inside its domain, and its preregistered tests (docs/preregistration.md, docs/preregistration-moves.md)."""

FITTED = ("part2", "part1")  # what the law is fitted to, from LEAST_LENGTH up
TEST, MOVES_TEST = "inside", "short-long"  # what it is judged on; never fitted
LEAST_LENGTH = 3
# What of 1.08 was whole when TEST was, by study: docs/preregistration.md fits the tested law to it.
TESTED_LENGTHS = {"1.08": {"part2": (3, 5, 7)}}
LIMIT = 450.0  # rating points: the domain is where the predicted difference is below it
# What the formula of the law is fitted to: every study of noisy players with the same match-equity table, but no test.
STUDIES = ("part2", "part1", "appendix2", "check-both-noisy", "efficient-luck")
CUTS = (300.0, 450.0, 600.0)  # limits whose goodness of fit is shown beside each other
FORMULAS = {"formula": "inside the domain", "outside": "outside it, with the product of both rates"}
TABLES = ("coefficients", "at_lengths", "test", "test_since", "test_points", "engines")
FORMULA_TABLES = ("cuts", "lengths", "coverage", "depth", "depth_laws", "depth_checks")
# Studies whose matches another study holds judged at 0-ply: what deeper analysis multiplies error rates by.
DEEPER = {
    "depth-1-ply": "part2", "depth-2-ply": "part2", "check-analysis-2-ply": "check-analysis-0-ply",
}  # fmt: skip
# Studies judged deeper, with players who search deeper, and the study whose results say how far apart they are: another
# where it holds the same matches and more. What the law at that depth says of them is set beside it.
JUDGED_DEEPER = {
    "appendix2-1-ply": "appendix2-1-ply", "check-1-ply-players": "appendix2-1-ply",
    "check-analysis-2-ply": "check-analysis-2-ply", "appendix2-2-ply": "appendix2-2-ply",
    "check-2-ply-players": "check-2-ply-players",
}  # fmt: skip
DEPTH = tuple(dict.fromkeys([*DEEPER, *DEEPER.values(), *JUDGED_DEEPER, *JUDGED_DEEPER.values()]))
COVERAGE_STUDIES, COVERAGE_SEED = 1000, 20061
