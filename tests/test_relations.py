"""Neighbour relations: one vocabulary, each word with its defining sentence, used everywhere."""

import dpspectra as dps
from dpspectra.ledger import all_statements
from dpspectra.relations import Relation, among


def test_every_relation_is_defined_in_one_sentence():
    meanings = [relation.meaning for relation in Relation]
    assert len(set(meanings)) == len(meanings)
    assert all(m[0].isupper() and m.endswith(".") and ". " not in m for m in meanings)


def test_a_relation_is_its_name():
    assert Relation.REPLACE == "replace"
    assert str(Relation.RANK_ONE) == "rank_one"
    assert among("row", (Relation.ROW,)) is Relation.ROW


def test_statements_and_claims_use_these_words():
    assert all(isinstance(relation, Relation) for entry in all_statements() for relation in entry.relation)
    claim = dps.private_pca([[1.0]], 1, 1.0, relation="add_remove", rng=0).claim
    assert claim.relation is Relation.ADD_REMOVE
    assert claim.asdict()["relation"] == "add_remove"
