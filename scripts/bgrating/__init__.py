"""From backgammon errors to ratings: noise-injected play, analysis and rating formulas with GNU Backgammon."""
