"""Published against regenerated: what moved, and why, each cause by a measurement."""
