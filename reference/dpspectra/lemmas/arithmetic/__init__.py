"""Certified arithmetic: what the program computes, in integers and correctly rounded."""

WHERE = {
    "q(": ("q(x)", "rounding to integers, entry by entry, in units of the grid's step"),
    r"\mathrm{fl}": "the float nearest to the number",
}
"""Meanings of letters that several statements of the chapter share."""
