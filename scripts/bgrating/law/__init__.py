"""The law inside its domain, and its preregistered test (docs/preregistration.md)."""
