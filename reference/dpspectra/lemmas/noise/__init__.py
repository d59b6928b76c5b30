"""Noise on symmetric matrices: what it leaves of a signal."""
