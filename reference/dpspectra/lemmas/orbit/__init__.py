"""Optimisation and approximation over unitary orbits."""
