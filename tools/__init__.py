"""What only contributors run, from the top of a checkout: counts of lines, planted faults. No part of the package."""
