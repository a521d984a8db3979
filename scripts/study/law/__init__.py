"""The law: the one formula of an engine inside its domain, and the scatter of players."""

# Rating points. The predicted difference of a cell in the domain is smaller.
LIMIT = 450.0
# EMG per unforced move. The sum of both players' cube errors in the domain is at most this.
CUBES = 0.015
# The formula is fitted to these: every study of noisy players with the same match-equity table. The
# tournament of levels is not among them, so that its results stay unfitted.
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
    "one-point",
    "two-points",
)
