"""What differential privacy promises, and what the basic mechanisms cost."""
