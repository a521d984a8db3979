"""Every decision of analysed matches: what was played, what was best, what it cost, and its position."""
