"""Reading hidden bits from releases, by ``examples/attack.py``: what a claim allows is not exceeded, a leak is seen.

Seeds are fixed; a sound release fails a test with probability below 1e-5.
"""

import importlib.util
import math
import sys

import numpy as np
import pytest
from scipy.stats import binom

from dpspectra import project_find_prune, randomized_response_low_rank
from dpspectra.fast.binomial import at_least
from dpspectra.lemmas.lower_bounds import reconstruction_of_bits
from tests.support.helpers import ROOT

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def attack():
    """The example, as a module."""
    spec = importlib.util.spec_from_file_location("attack_example", ROOT / "examples" / "attack.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # its records look themselves up there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def leaky(hidden, k, epsilon, delta, *, rng):
    """A release that spends 32 times its epsilon."""
    return randomized_response_low_rank(hidden, k, 32 * epsilon, delta, rng=rng)


def test_without_privacy_all_bits_are_read_and_with_it_no_more_than_allowed(attack):
    epsilons = (0.25, 1.0, 4.0)
    control, *found = attack.attacks(4, 1000, epsilons, 1e-6, np.random.default_rng(0))
    assert control.right == 1.0
    assert control.square < 1e-20
    assert control.epsilon_lower > 4.0
    assert not control.broken
    assert [(a.release, a.epsilon) for a in found] == [
        (mechanism.__name__, epsilon)
        for mechanism in (project_find_prune, randomized_response_low_rank)
        for epsilon in epsilons
    ]
    for a in found:
        most = 1 / (1 + math.exp(-a.epsilon))
        assert 1 - float(reconstruction_of_bits.wrong_bits(a.epsilon, 1e-6)) == pytest.approx(most)
        assert at_least(round(4000 * a.right), 4000, 1e-6) <= most
        assert a.square > reconstruction_of_bits.mean_square(a.epsilon, 1e-6)
        assert not a.broken
    for mechanism in {a.release for a in found}:
        most = next(a for a in found if a.release == mechanism and a.epsilon == 4.0)
        assert at_least(round(4000 * most.right), 4000, 1e-6) > 0.5, "the attack reads something at a weak claim"


def test_a_zero_matrix_tells_nothing(attack):
    hidden = attack.random_bits(4, 1000, np.random.default_rng(1))
    found = attack.attacked(0 * hidden, hidden, 4, "zero", 1.0, 1e-9)
    assert found.square == 0.25
    assert abs(found.right - 0.5) < 0.05
    assert found.epsilon_lower == 0.0


def test_the_bits_are_as_the_theorem_wants_them(attack):
    hidden = attack.random_bits(3, 7, np.random.default_rng(0))
    assert hidden.shape == (45, 7)
    assert set(hidden[:3].ravel()) == {-0.5, 0.5}
    assert not hidden[3:].any()


@pytest.mark.parametrize("bits", [15, 60, 400, 3000])
@pytest.mark.parametrize("delta", [0.0, 1e-8, 1e-5])
def test_sound_channels_are_refuted_with_less_than_the_stated_risk(attack, bits, delta):
    """Exact, for randomized response on each bit that tells a bit, or all of them, with probability ``delta``."""
    for epsilon in np.geomspace(0.01, 4.0, 60):
        refuted = [right for right in range(bits + 1) if attack.epsilon_lower(right, bits, delta) > epsilon]
        if not refuted:
            continue
        truth, least = 1 / (1 + np.exp(-epsilon)), refuted[0]
        assert refuted == list(range(least, bits + 1))
        assert binom.sf(least - 1, bits, delta + (1 - delta) * truth) <= attack.RISK
        assert delta + (1 - delta) * binom.sf(least - 1, bits, truth) <= attack.RISK
        if delta == 0:
            assert binom.sf(least - 2, bits, truth) > attack.RISK, "the threshold could be lower"


def test_delta_excuses_hits(attack):
    bounds = [attack.epsilon_lower(1000, 1000, delta) for delta in (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 0.5)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > 4
    assert bounds[2] > 3
    assert bounds[-1] == 0.0


def asked(attack, monkeypatch, capsys, folder, *words):
    """Run the program; its exit status and the lines that it prints."""
    monkeypatch.setattr(sys, "argv", ["attack.py", str(folder), *words])
    with pytest.raises(SystemExit) as ended:
        attack.main()
    return ended.value.code, capsys.readouterr().out.splitlines()


def test_the_table(attack, monkeypatch, capsys, tmp_path):
    status, lines = asked(attack, monkeypatch, capsys, tmp_path, "--columns", "100", "--epsilons", "1", "4")
    assert status == 0
    assert [line.split()[0] for line in lines[1:6]] == ["randomized_range_finder"] + 2 * ["project_find_prune"] + 2 * [
        "randomized_response_low_rank"
    ]
    assert "100.00%" in lines[1]
    assert "73.11%" in lines[2]
    assert "BROKEN" not in " ".join(lines)
    assert max(map(len, lines)) <= 110


def test_a_release_that_breaks_its_claim_is_found_out(attack, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(attack, "PRIVATE", (leaky, project_find_prune))
    status, lines = asked(attack, monkeypatch, capsys, tmp_path, "--epsilons", "0.5")
    assert status == 1
    assert [line.split()[0] for line in lines if line.endswith("BROKEN")] == ["leaky"]


def test_a_control_that_keeps_a_secret_is_a_failure(attack, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(
        "dpspectra.randomized_range_finder", lambda a, k, *, rng: np.eye(len(a))[:, 1 : 2 * k + 2], raising=False
    )
    status, lines = asked(attack, monkeypatch, capsys, tmp_path, "--columns", "10", "--epsilons", "1")
    assert status == 1
    assert "BROKEN" not in " ".join(lines)
