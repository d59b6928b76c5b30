"""Wishart noise: the refuted mechanism, its exact profile, and the repairs."""
