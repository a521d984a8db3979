"""The analyses of matches, stored so that the engine analyses nothing twice."""

ANALYSIS = 12
"""Version of all computed results.

It is part of every store key, and of the params of the rules play, analyse and fit. Raise it by one
in the commit that changes the play under a seed, or what a reader takes from a file. Raise it also
if another number changes in a table of the same matches. Then matches are analysed and studies
fitted anew. A change that leaves all figures as they are (names, speed, layout) does not raise it.
tests/workflow/test_figures.py fails if figures differ under the same number.
"""
