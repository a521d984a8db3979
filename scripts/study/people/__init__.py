"""Tests of the formula, which was fitted to noisy programs, on matches of people."""

# The tables computed from frozen losses, by engine. Only 1.08 has judged every collection.
TABLES = {
    "1.08": ("factor", "per_pr", "appendix1", "close", "depth", "plans"),
    "1.07.001": ("per_pr", "depth"),
}
# The deeper level at which an engine has judged people too.
LEVELS = {"1.08": "checked", "1.07.001": "2-ply"}
