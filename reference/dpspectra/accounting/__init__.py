"""Claims added up: composition, budgets, and the file that holds a budget."""
