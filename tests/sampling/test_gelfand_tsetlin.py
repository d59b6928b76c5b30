"""Distribution functions on patterns are inverted, or refused where they cannot be resolved."""

import numpy as np
import pytest
from mpmath import mp

from dpspectra.fast.patterns import frozen, interlaces
from dpspectra.sampling import gelfand_tsetlin


# Inverse distribution functions
class Recorder:
    """A generator that remembers its uniforms."""

    def __init__(self, seed):
        self.generator, self.drawn = np.random.default_rng(seed), []

    def random(self, size):
        self.drawn.append(self.generator.random(size))
        return self.drawn[-1]


@pytest.mark.parametrize(
    ("exponents", "levels"),
    [
        ((9, 5, 4, 2, 0), (1, 0.7, 0.4, 0, 0)),
        ((100, 80, 50, 10, 0), (1, 1, 1, 0, 0)),
        ((100, 80, 50, 10, 0), (1, 0.8, 0.8, 0, 0)),
        ((300, 10, 4, 2, 0), (1, 0.5, 0, 0, 0)),
        ((3, 2, 1, 0), (1, 1, 1 - 2**-6, 0)),
        ((9, 5, 4, 2, 1, 0), (1, 0.875, 0.75, 0.5, 0.25, 0)),
    ],
)
def test_distribution_functions_are_inverted_to_twelve_digits(exponents, levels):
    """With the plain exponentials in mpmath, where the determinant keeps all its rows and zeros are derivatives."""
    recorder, d = Recorder(18), len(levels)
    x = gelfand_tsetlin.patterns(np.array(exponents, float), np.array(levels, float))(6, recorder)
    assert interlaces(x).all()
    uniforms, still, k = iter(recorder.drawn), frozen(np.array(levels, float)), int(np.sum(np.array(levels) > 0))
    with mp.workdps(400):
        for r in range(d - 1, 0, -1):
            b = [mp.mpf(exponents[i] - exponents[r]) for i in range(r)]
            wide = min(k, r)
            drawn = {j: next(uniforms) for j in range(wide) if not still[r - 1, j]}
            for sample in range(len(x)):
                above, row = ([mp.mpf(v) for v in x[sample, q].tolist()] for q in (r, r - 1))

                def mass(t, b=b):
                    return mp.matrix([(mp.exp(y * t) - 1) / y for y in b])

                columns = [mass(above[j]) - mass(above[j + 1]) for j in range(wide)]
                columns += [mp.matrix([y**order for y in b]) for order in range(r - wide)]
                for j in range(wide):
                    if still[r - 1, j]:
                        order = row[:j].count(row[j])
                        columns[j] = mp.matrix([y**order * mp.exp(y * row[j]) for y in b])
                for j, u in drawn.items():
                    below = mass(row[j]) - mass(above[j + 1])
                    parts = [mp.det(table([*columns[:j], c, *columns[j + 1 :]])) for c in (below, columns[j])]
                    assert abs(parts[0] / parts[1] - mp.mpf(float(u[sample]))) < 2e-12
                    columns[j] = mp.matrix([mp.exp(y * row[j]) for y in b])


def table(columns):
    return mp.matrix([[c[i] for c in columns] for i in range(len(columns))])


@pytest.mark.parametrize(
    ("spectrum", "kappa", "reason"),
    [
        ((6, 5, 4, 3, 2, 1, 0), 1.0, "at most 5"),
        ((3, 3, 2, 1, 1, 0), 1.0, "more than 3"),
        ((20, 18, 15, 10, 0), 1.0, "share of 0.125, got 0.1"),
        ((3, 3, 0, 0, 0), 100.1, "at most 600"),
        ((1, 1 - 1e-4, 0, 0, 0), 1.0, "2 eigenvalues"),
        ((1, 0.995, 0.99, 0, 0), 1.0, "3 eigenvalues"),
    ],
)
def test_inverse_distribution_functions_refuse_what_they_cannot_resolve(spectrum, kappa, reason):
    values = np.array([2.0, 1, 0.5, 0.2, 0, 0, 0])[: len(spectrum)]
    assert reason in gelfand_tsetlin.refusal(values, np.array(spectrum, float), kappa)
