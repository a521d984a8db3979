"""Every decision of analysed matches: the play, the best play, the loss and the position."""
