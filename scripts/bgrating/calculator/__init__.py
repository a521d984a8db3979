"""From error rates to a rating and a chance of winning, by every formula that is known; needs nothing but Python."""
