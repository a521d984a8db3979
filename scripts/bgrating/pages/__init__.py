"""Tools of all pages: charts, words, templates."""
