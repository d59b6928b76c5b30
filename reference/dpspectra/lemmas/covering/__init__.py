"""How few points cover an orbit."""
