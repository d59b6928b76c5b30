"""How many separated points fit on an orbit."""
