"""The private range finder (HR sections 3 and 4): its privacy, its error and the leverages of its output."""
