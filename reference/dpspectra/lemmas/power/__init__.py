"""The noisy power method."""
