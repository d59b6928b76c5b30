"""Principal components from a stream."""
