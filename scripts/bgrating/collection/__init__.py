"""Rate a whole collection: read its files, tell copies apart, make its tables and pages."""
