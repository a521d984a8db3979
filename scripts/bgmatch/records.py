"""The types of objects of JSON, rows and settings: values by name."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
Record = Mapping[str, Any]
"""Values by name that nobody changes."""
