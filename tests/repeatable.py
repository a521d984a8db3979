"""Have hypothesis draw the same examples in every run, whichever tests run with it.

A conftest.py imports this module. The profile `random` draws other examples in every run.
"""

from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

settings.register_profile("random", deadline=None, database=None, print_blob=True)
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")
# Hypothesis also draws the constants of all modules that are loaded: a test's examples would depend
# on the tests before it.
providers._get_local_constants = Constants
