"""Exact sampling from exponential laws on unitary and orthogonal orbits."""
