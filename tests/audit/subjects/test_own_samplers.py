"""Our samplers by their references: each conforms, and every method is covered."""

import functools

import pytest

from dpspectra import sampling
from dpspectra.audit import conforms, fits
from dpspectra.audit.subjects import own_samplers
from tests.support.helpers import ALARM

SUITE = own_samplers.cases()
compared = functools.partial(conforms, independent=True)
"""Samplers of numpy's kind return independent rows."""


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.name)
def test_every_sampler_conforms_to_its_reference(case):
    result = compared(case.candidate, case.reference, case.x, draws=512)
    assert not result.violated
    assert result.failures == 0
    marginals = case.reference.marginals(case.x)
    if marginals:
        assert fits(case.candidate, marginals, case.x, draws=500).p_value > ALARM


def test_the_suite_covers_every_method_and_looks_where_laws_are_concentrated():
    names = " ".join(case.name for case in SUITE)
    for method in sampling.methods.METHODS:
        assert f", {method}, weak" in names
        assert f", {method}, concentrated" in names
    assert own_samplers.LEVELS["concentrated"] >= 8
