"""Audits that may be read at any time: wealth from betting against a privacy claim."""
