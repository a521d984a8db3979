"""Tools that all pages share: style, words, templates."""
