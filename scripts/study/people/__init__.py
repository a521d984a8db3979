"""Are people like noise? The check of the formula on collections of human matches."""
