"""Are people like noise? What the formula does not know of people, from their matches."""

TABLES = {"1.08": ("factor", "per_pr", "appendix1", "close"), "1.07.001": ("per_pr",)}
"""The tables that frozen losses determine, by engine; 1.08 alone has judged every collection."""
