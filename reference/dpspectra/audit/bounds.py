"""Exact binomial confidence limits, for a fixed number of draws: the audit's cross-check."""

from dpspectra.fast.binomial import at_least, at_most, loss

__all__ = ["at_least", "at_most", "loss"]
