"""The statuses of the files and matches of a collection."""

ANALYSED, REPAIRED, WARNINGS, INCOMPLETE = "analysed", "repaired", "analysed with warnings", "incomplete"
MONEY, DUPLICATE, REJECTED = "money", "duplicate", "rejected"
KILLED, NOT_ANALYSED = "killed from outside", "not analysed"
"""Prefixes of problems that this machine caused: the next run tries again."""
STATUSES = (ANALYSED, REPAIRED, WARNINGS, INCOMPLETE, MONEY, DUPLICATE, REJECTED, KILLED, NOT_ANALYSED)
