"""`./run fuzz`: see run.py."""

import sys

from bgrating import BgratingError
from fuzz.run import main

try:
    sys.exit(main())
except BgratingError as problem:
    sys.exit(f"fuzz: {problem}")
