"""Sensitivity in l1 of the spectrum of a covariance matrix (MWKTV-E20)."""

SENSITIVITY = {"replace": 2, "add_remove": 1}
"""l1 sensitivity of the spectrum (or of its top ``k >= 2`` values) for rows in the unit ball."""
