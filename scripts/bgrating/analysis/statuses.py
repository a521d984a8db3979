"""What a file or a match of a collection can come to."""

ANALYSED, REPAIRED, WARNINGS, INCOMPLETE = "analysed", "repaired", "analysed with warnings", "incomplete"
MONEY, DUPLICATE, REJECTED = "money", "duplicate", "rejected"
KILLED, UNDONE = "killed from outside", "not analysed"
"""How the problem of a content begins that this machine is to blame for: the next run tries it again."""
STATUSES = (ANALYSED, REPAIRED, WARNINGS, INCOMPLETE, MONEY, DUPLICATE, REJECTED, KILLED, UNDONE)
