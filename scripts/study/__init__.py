"""The research behind bgrating: it regenerates, tests and publishes the formula. The product never imports it."""

import bgrating  # noqa: F401 - before numpy: it selects the code that numpy runs
