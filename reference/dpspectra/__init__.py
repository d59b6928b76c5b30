"""Private spectral methods, statement by statement."""
