"""The law inside its domain: which form of the formula, its tests, and the one formula of an engine."""

FITTED = ("part2", "part1")  # what tested forms are fitted to, from LEAST_LENGTH up
LEAST_LENGTH = 3
LIMIT = 450.0  # rating points: the domain is where the predicted difference is below it
CUBES = 0.015  # EMG per unforced move: the domain is where both players' cube errors together are not above it
PEOPLES_CUBES = 0.0073  # EMG per unforced move: median sum of both players' cube errors in people's matches
THIRD_TEST, FOURTH_TEST = "people-range", "frozen-form"  # of coefficients that were fixed before their matches
# Part I of 1.08 at more than 7 points was played after all other tests. It judges coefficients that were fixed before,
# and nothing that another test judges is fitted to it.
FIFTH_TEST, PLAYED_LATER = "part1-long", {"1.08": ("part1", 7)}
TESTS = ("inside", "short-long", THIRD_TEST, FOURTH_TEST, FIFTH_TEST)
# What the formula is fitted to, inside its domain: every study of noisy players with the same match-equity table. Not
# the tournament of levels, whose results stay unfitted.
STUDIES = (*FITTED, "appendix2", "check-both-noisy", "efficient-luck", *TESTS)
OTHERS = ("appendix2", "check-both-noisy", "tournament/default")  # no test, and not fitted for a test
TABLES = (
    "tests", "between", "split_halves", "cubes", "contest", "coefficients", "lengths", "coverage", "engines",
    "depth",
)  # fmt: skip
# Studies with the same matches as another one at 0-ply. They measure what deeper analysis multiplies error rates by.
DEEPER = {
    "depth-1-ply": "part2", "depth-2-ply": "part2", "check-analysis-2-ply": "check-analysis-0-ply",
}  # fmt: skip
DEPTH = tuple(dict.fromkeys([*DEEPER, *DEEPER.values()]))
