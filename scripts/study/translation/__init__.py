"""Translation between nets: the same matches analysed by two engines, and what their figures say of each other."""
