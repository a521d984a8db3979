"""The research behind bgrating: what regenerates, tests and publishes the formula. The product never imports it."""

import bgrating  # noqa: F401 - before numpy: it chooses the code that computes
