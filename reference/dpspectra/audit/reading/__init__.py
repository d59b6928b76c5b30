"""Read outputs of a mechanism: their numbers and labels, in tables of statistics."""
