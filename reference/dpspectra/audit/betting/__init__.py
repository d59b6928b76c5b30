"""Evidence: events, the bets on them, and what the wealth says."""
