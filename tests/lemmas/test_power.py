"""Explicit numbers of rounds of the power method, against adversaries within the stated norms."""

import math

import numpy as np
import pytest
from mpmath import mp

from dpspectra import noisy_power_method, sufficient_iterations
from dpspectra.fast.linalg import principal_angles
from dpspectra.formulas import power_flow, random_start
from dpspectra.lemmas.power import many_steps


def adversary(u, whole, inside):
    """The worst noise of a step within ``|G| <= whole``, ``|U'G| <= inside``: all on the worst direction of ``X``.

    Outwards it goes where the product goes, and anywhere outside ``U`` where the product stays inside.
    """
    part, outside = min(whole, inside), np.linalg.qr(u, mode="complete")[0][:, u.shape[1] :]

    def noise(_, x, y):
        left, _, right = np.linalg.svd(u.T @ x)
        w = right[u.shape[1] - 1]
        along, place = outside.T @ (y @ w), u.T @ (y @ w)
        outward = outside @ (along / np.linalg.norm(along) if np.any(along) else np.eye(len(along))[0])
        inward = u @ left[:, -1] * (-1 if left[:, -1] @ place < 0 else 1)
        return np.outer(math.sqrt(whole**2 - part**2) * outward - part * inward, w)

    return noise


def test_the_adversary_knows_a_direction_where_the_product_leaves_none():
    """A coordinate subspace that is found already: the part of the product outside of it is exactly 0."""
    u = np.eye(4)[:, :2]
    g = adversary(u, 5.0, 3.0)(1, u, np.diag([2.0, 2, 1, 1]) @ u)
    assert np.linalg.norm(g, 2) == pytest.approx(5)
    assert np.linalg.norm(u.T @ g, 2) == pytest.approx(3)


def test_the_explicit_number_of_rounds_is_never_exceeded_by_an_adversary():
    rng, used = np.random.default_rng(8), []
    for _ in range(200):
        d = int(rng.integers(4, 12))
        k = int(rng.integers(1, d - 1))
        p = int(rng.integers(k, d))
        ratio, accuracy = rng.uniform(0.2, 0.9), rng.uniform(0.05, 0.49)
        values = np.r_[np.sort(rng.uniform(1, 2, k - 1))[::-1], 1, ratio, ratio * rng.random(d - k - 1)]
        frame = np.linalg.qr(rng.standard_normal((d, d)))[0]
        a = (frame * (values * rng.choice([-1, 1], d))) @ frame.T
        u, x = frame[:, :k], np.linalg.qr(rng.standard_normal((d, p)))[0]
        tangent = math.tan(np.max(principal_angles(x, u)))
        limits = accuracy * (1 - ratio) / 5, (1 - ratio) / 5 / math.hypot(1, tangent)
        rounds, reached = power_flow.iterations(tangent, accuracy, ratio), []
        noise = adversary(u, *limits)

        def watch(number, x, y, noise=noise, u=u, reached=reached):
            reached.append(math.tan(np.max(principal_angles(x, u))))  # before this round
            return noise(number, x, y)

        noisy_power_method((a + a.T) / 2, k, width=p, iterations=rounds + 3, noise=watch, start=x)
        above = [i for i, t in enumerate(reached) if t > accuracy * (1 + 1e-9)]
        used.append((max(above) + 1) / rounds if above else 0.0)
    assert max(used) <= 1
    assert max(used) > 0.6  # the adversary is no dummy


def test_sufficient_iterations_hold_from_random_starts():
    """An adversary within the stated norms, 200 starts, failure at most 0.05: 26 failures have probability 4e-6."""
    d, k, p, failure, ratio, accuracy = 20, 2, 5, 0.05, 0.5, 0.3
    values, frame = np.r_[1, 1, np.full(d - 2, ratio)], np.eye(d)
    rounds = sufficient_iterations(d, k, width=p, ratio=ratio, accuracy=accuracy, failure=failure)
    radius = math.sqrt(math.e * d) / (math.sqrt(p) - 1) * failure ** (-1 / (p - k + 1))  # the exact one is smaller
    limits = accuracy * (1 - ratio) / 5, (1 - ratio) / (5 * radius)
    noise = adversary(frame[:, :k], *limits)
    missed = 0
    for seed in range(200):
        x = noisy_power_method(np.diag(values), k, width=p, iterations=rounds, noise=noise, rng=seed)
        missed += math.tan(np.max(principal_angles(x, frame[:, :k]))) > accuracy
    assert missed < 26
    assert rounds <= math.ceil(8 / 3 * math.log(radius / accuracy))
    assert rounds >= math.ceil(2 * math.log(radius / 3 / accuracy))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d": 0}, "d must be"),
        ({"k": 21}, "k must be"),
        ({"width": 1}, "width must be"),
        ({"ratio": 1.0}, r"ratio must be below 1, got 1\.0"),
        ({"ratio": -0.1}, "ratio must be non-negative"),
        ({"accuracy": 0.5}, r"accuracy must be below 1/2, got 0\.5"),
        ({"failure": 1.0}, "failure must lie"),
    ],
)
def test_bad_numbers_for_sufficient_iterations(changes, message):
    arguments = {"d": 20, "k": 2, "ratio": 0.5, "accuracy": 0.1} | changes
    with pytest.raises(ValueError, match=message):
        sufficient_iterations(**arguments)


def test_every_start_exceeds_no_tangent():
    assert [random_start.tail(0.0, 1, 2, d) for d in (3, 5)] == [1.0, 1.0]


def test_times_of_the_flow_agree_also_from_numbers_with_more_digits():
    """An accuracy a little above 1/4, in twice the digits, gave a time of .27 instead of 1.33."""
    with mp.workdps(40):
        tangent, accuracy = mp.mpf("0.78"), mp.mpf(1) / 4 + mp.mpf(2) ** -104
    with mp.workdps(20):
        found = many_steps.exact_flow_time(tangent, accuracy)
    assert float(found) == pytest.approx(power_flow.flow_time(0.78, 0.25), rel=1e-9)
