import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.origins import MOST, law_of, single
from tests.support.noise_runs import recorded


def test_numbers_with_one_draw_each():
    seen = []

    def mechanism(data, rng):
        rng.normal()
        u, v = rng.random(), rng.laplace(size=2)
        tape = u.store.tape
        seen.append([(b.law.name, j, m, f) for b, j, m, f in single(tape, np.stack([2 * u + 3, -v[1]]))])
        seen.append(single(tape, v + u))
        seen.append(single(tape, np.stack([u, u * 0])))
        seen.append(single(tape, rng.random(MOST + 1)))
        seen.append(law_of(tape, 2).law.name)
        assert isinstance(u, Noisy)

    recorded(mechanism)
    assert seen == [[("uniform", 1, 3.0, 2.0), ("laplace", 3, 0.0, -1.0)], None, None, None, "laplace"]
