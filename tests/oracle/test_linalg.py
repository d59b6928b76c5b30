import random

import pytest
from mpmath import mp

from dpspectra.oracle import linalg


def bordered(x, s):
    """``[x | s I]``, whose squared singular values are ``|x|^2 + s^2``, ``s^2`` several times."""
    a = mp.zeros(len(x), len(x) + 1)
    for i, entry in enumerate(x):
        a[i, 0], a[i, i + 1] = entry, s
    return a


@pytest.mark.parametrize("digits", [20, 50])
def test_equal_eigenvalues_and_zeros_are_found(digits):
    """Approximate values miss the bound on several of these 100 matrices."""
    drawn = random.Random(digits)
    with mp.workdps(digits):
        for _ in range(100):
            x, s = [drawn.randint(-6, 6) for _ in range(drawn.randint(2, 6))], drawn.choice([1, 2, 8, 16])
            a = bordered(x, s)
            largest = mp.mpf(s * s + sum(entry * entry for entry in x))
            want = [largest, *[mp.mpf(s * s)] * (len(x) - 1), mp.mpf(0)]
            found = linalg.eigenvalues(a.H * a)
            assert max(abs(one - other) for one, other in zip(found, want, strict=True)) <= 10 * largest * mp.eps
            assert abs(linalg.singular_values(a)[0] - mp.sqrt(largest)) <= 10 * largest * mp.eps


def test_other_matrices_need_no_second_method(monkeypatch):
    monkeypatch.setattr(mp, "eighe", lambda *given, **options: pytest.fail("asked for another method"))
    drawn = random.Random(1)
    for n in (1, 2, 5):
        for _ in range(20):
            rows = [[mp.mpc(drawn.gauss(0, 1), drawn.gauss(0, 1)) for _ in range(n)] for _ in range(n)]
            linalg.eigenvalues(mp.matrix(rows).H * mp.matrix(rows))
            linalg.eigenvalues(mp.diag([1] * n))
    linalg.eigenvalues(mp.zeros(3))
