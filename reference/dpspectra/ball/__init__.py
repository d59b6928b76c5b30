"""Rigorous enclosures with python-flint."""

from dpspectra.ball.enclosure import enclose

__all__ = ["enclose"]
