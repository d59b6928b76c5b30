"""What no private mechanism can do."""
