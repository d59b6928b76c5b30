"""Declared supports: what lies outside refutes at once, and a false support is refused."""

import pytest

from dpspectra.audit import audit
from tests.support.audits import NUMBERS, refuted
from tests.support.helpers import laplace


def test_uniform_noise_is_refuted_by_its_support():
    def uniform(x, *, size, rng):
        return rng.uniform(x, x + 1, size)

    def outside(output, x):
        return not x <= output <= x + 1

    result = audit(uniform, (0.0, 0.1), 5.0, support=outside)
    assert refuted(result)
    assert result.certificate is None
    assert refuted(audit(uniform, (0.0, 0.1), 5.0, 0.05, support=outside))
    assert not audit(uniform, (0.0, 0.1), 0.0, 0.1, support=outside, draws=4096).violated


def test_a_support_that_denies_what_happens_is_refused():
    with pytest.raises(ValueError, match="support must allow"):
        audit(laplace(1.0), NUMBERS, 1.0, support=lambda output, x: True)


def test_a_false_certificate_is_refused():
    def support(output, x):
        return {"kind": "not_psd"} if x == 1.0 and output < 0 else None

    with pytest.raises(ValueError, match="check_certificate rejects"):
        audit(lambda x, *, size, rng: x + rng.random(size), (-0.5, 1.0), 1.0, support=support)
