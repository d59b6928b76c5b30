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


def test_the_second_method_takes_what_is_hermitian_up_to_rounding(monkeypatch):
    """Errors of a large product are larger than the last digits of numbers near 1."""
    monkeypatch.setattr(linalg, "MISSED", -(10**4))
    a = mp.matrix([[mp.mpc(30, 1) / 7, mp.mpc(0, 4)], [mp.mpc(5, 4), mp.mpc(3, 1) / 3]]) * 1000
    first, second = linalg.singular_values(a)
    assert abs(first * second / abs(mp.det(a)) - 1) <= 100 * mp.eps
    assert abs(mp.hypot(first, second) / linalg.frobenius_norm(a) - 1) <= 100 * mp.eps


def test_whitening_takes_what_is_hermitian_up_to_rounding():
    a = mp.matrix([[mp.mpc(30, 1) / 7, mp.mpc(0, 4)], [mp.mpc(5, 4), mp.mpc(3, 1) / 3]]) * 1000
    gram = a.H * a + mp.diag([mp.mpc(0, 1e4), mp.mpc(0, -1e4)]) * mp.eps
    white = linalg.whitening(gram)
    assert white[0, 1] == 0
    assert linalg.distance(white * gram * white.H, mp.eye(2)) <= 1e6 * mp.eps


def test_other_matrices_need_no_second_method(monkeypatch):
    monkeypatch.setattr(mp, "eighe", lambda *given, **options: pytest.fail("asked for another method"))
    drawn = random.Random(1)
    for n in (1, 2, 5):
        for _ in range(20):
            rows = [[mp.mpc(drawn.gauss(0, 1), drawn.gauss(0, 1)) for _ in range(n)] for _ in range(n)]
            linalg.eigenvalues(mp.matrix(rows).H * mp.matrix(rows))
            linalg.eigenvalues(mp.diag([1] * n))
    linalg.eigenvalues(mp.zeros(3))
