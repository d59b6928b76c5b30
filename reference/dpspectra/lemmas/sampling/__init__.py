"""Exact sampling on orbits."""
