"""Matrices whose mass is spread over rows."""
