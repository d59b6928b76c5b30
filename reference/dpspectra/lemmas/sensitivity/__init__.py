"""Sensitivity: how much one person's data can change a quantity."""
