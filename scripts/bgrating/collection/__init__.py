"""A whole collection: read its files, tell copies apart, make its tables, have its pages written."""
