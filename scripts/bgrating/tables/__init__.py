"""One reader and writer of tables, their columns, and where each came from."""
