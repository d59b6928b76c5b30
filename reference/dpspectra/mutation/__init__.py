"""Mutation: plant small faults in the sources, one at a time, and see whether the checks that concern them notice."""

from dpspectra.mutation.campaign import Mutant, lemma_mutants, room_mutants
from dpspectra.mutation.trial import Trial, run

__all__ = ["Mutant", "Trial", "lemma_mutants", "room_mutants", "run"]
