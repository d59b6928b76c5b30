"""Ball arithmetic (python-flint): numbers with proved error bounds, for certificates and for exact sampling."""

from dpspectra.ball.enclosure import enclose

__all__ = ["enclose"]
