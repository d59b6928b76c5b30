"""How far one person moves a quantity."""
