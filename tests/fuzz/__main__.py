"""`./run fuzz`: see run.py."""

import sys

import study  # noqa: F401 - before numpy: it selects the code that numpy runs
from bgrating import BgratingError
from fuzz.run import main

try:
    sys.exit(main())
except BgratingError as problem:
    sys.exit(f"fuzz: {problem}")
