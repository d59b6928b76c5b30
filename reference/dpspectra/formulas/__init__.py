"""Formulas that releases and bounds compute with; the statements in `dpspectra.lemmas` check them."""
