"""Chapter: range finding (HR sections 3 and 4): the private range finder, its error, its privacy, its leverages."""
