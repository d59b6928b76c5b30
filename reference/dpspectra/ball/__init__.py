"""Rigorous enclosures with python-flint (extra ``certify``)."""

from dpspectra.ball.enclosure import enclose

__all__ = ["enclose"]
