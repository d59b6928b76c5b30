"""Sensitivity: how much one person's data can change a quantity."""

WHERE = {
    "v": "row before the change, of norm at most 1",
    "w": "row after the change, of norm at most 1",
    "x": "row before the change, of norm at most 1",
    "y": "row after the change, of norm at most 1",
    "K": "the K-norm of DPS-KNORM: half the sum of nuclear norm and modulus of the trace",
}
"""Meanings of letters that several statements of the chapter share."""
