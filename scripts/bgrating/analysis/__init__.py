"""What the engine makes of matches, kept so that it analyses nothing twice."""

ANALYSIS = 12
"""The number of the code of figures: a key of the store, and a parameter of the rules that play, analyse and fit.

Whoever changes a figure raises it by one, in the same commit: what is played under a seed, what a reader takes from a
file, or any number of a table that the same matches gave before. Then matches are analysed and studies fitted anew.
A change that leaves all figures as they are (names, speed, layout) does not raise it.
tests/workflow/test_figures.py fails where figures differ under the same number.
"""
