"""The research behind bgrating: it regenerates, tests and publishes the formula.

The product never imports it.
"""

from bgrating.processor import settle

settle()  # before numpy: only our commands, jobs and tests import this package
