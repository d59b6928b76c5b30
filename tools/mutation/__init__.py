"""Mutation: plant small faults in the sources, one at a time, and see whether the checks that concern them notice."""
