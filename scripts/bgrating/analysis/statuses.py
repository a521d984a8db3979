"""The statuses of the files and matches of a collection."""

ANALYSED = "analysed"
REPAIRED = "repaired"
WARNINGS = "analysed with warnings"
INCOMPLETE = "incomplete"
MONEY = "money"
DUPLICATE = "duplicate"
REJECTED = "rejected"
KILLED = "killed from outside"
NOT_ANALYSED = "not analysed"
"""Prefixes of problems that this machine caused: the next run tries again."""
STATUSES = (
    ANALYSED,
    REPAIRED,
    WARNINGS,
    INCOMPLETE,
    MONEY,
    DUPLICATE,
    REJECTED,
    KILLED,
    NOT_ANALYSED,
)
