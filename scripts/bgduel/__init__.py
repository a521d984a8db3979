"""Is one backgammon program or level stronger than another? A referee, its sides, and a sequential test."""

import bgrating  # noqa: F401 - before numpy: it selects the code that numpy runs
