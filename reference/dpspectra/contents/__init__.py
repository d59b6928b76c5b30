"""Contents of values: which parts a value has, and whether they are all, for both auditors."""
