"""Which pair of neighbouring data sets shows most."""
