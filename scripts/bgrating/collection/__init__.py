"""A whole collection.

Read its files, tell copies apart, make its tables, have its pages written.
"""
