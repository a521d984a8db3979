"""Fixtures of the reader's tests, which also run where nothing of ours but bgmatch is installed."""

from importlib.util import find_spec

import repeatable  # noqa: F401 - the same examples in every run
from project_folder import project, shared

__all__ = ["project", "shared"]
collect_ignore = [] if find_spec("gvformat") else ["formats/test_saved.py"]
"""Files that write other programs' files with the library of an extra."""
