"""The law inside its domain: the one formula of an engine, the scatter of players round it, and its last test."""

LIMIT = 450.0  # rating points: the domain is where the predicted difference is below it
CUBES = 0.015  # EMG per unforced move: the domain is where both players' cube errors together are not above it
# What the formula is fitted to, inside its domain: every study of noisy players with the same match-equity table. Not
# the tournament of levels, whose results stay unfitted.
STUDIES = (
    "part2",
    "part1",
    "appendix2",
    "check-both-noisy",
    "efficient-luck",
    "inside",
    "short-long",
    "people-range",
    "frozen-form",
    "pairs",
)
TESTED, LEFT_OUT = "pairs", "people-range"  # the sixth test; a study that a fit leaves out and then predicts
BEFORE = "pairs-before.json"  # below results/<nets>/law: coefficients that were fixed before the sixth test
TABLES = ("coefficients", "slopes", "coverage", "depth")
# Studies with the same matches as another one at 0-ply. They measure what deeper analysis multiplies error rates by.
DEEPER = {
    "depth-1-ply": "part2",
    "depth-2-ply": "part2",
    "check-analysis-2-ply": "check-analysis-0-ply",
    "depth-checked": "people-range",
}
DEPTH = tuple(dict.fromkeys([*DEEPER, *DEEPER.values()]))
