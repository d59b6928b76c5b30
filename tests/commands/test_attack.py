"""Reading hidden bits from releases. Seeds are fixed; a sound release fails a test with probability below 1e-5."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from dpspectra import project_find_prune, randomized_response_low_rank
from dpspectra.cli import run
from dpspectra.commands import attack
from dpspectra.fast.binomial import at_least
from dpspectra.mechanisms import Release


def output(capsys, *arguments, status=0):
    assert run(["attack", *arguments]) == status
    return capsys.readouterr().out


def leaky(hidden, k, epsilon, delta, *, rng):
    """A release that spends 32 times its epsilon."""
    return randomized_response_low_rank(hidden, k, 32 * epsilon, delta, rng=rng)


# ---------------------------------------------------------------- what is read


def test_without_privacy_all_bits_are_read_and_with_it_no_more_than_allowed():
    epsilons = (0.25, 1.0, 4.0)
    control, found = attack.attacks(4, 1000, epsilons, 1e-6, np.random.default_rng(0))
    assert control.right == 1.0
    assert control.square < 1e-20
    assert control.epsilon_lower > 4.0
    assert [(a.release, a.epsilon) for a in found] == [
        (mechanism.__name__, epsilon)
        for mechanism in (project_find_prune, randomized_response_low_rank)
        for epsilon in epsilons
    ]
    for a in found:
        assert at_least(round(4000 * a.right), 4000, 1e-6) <= a.most == pytest.approx(1 / (1 + math.exp(-a.epsilon)))
        assert a.square > a.least_square
        assert not a.broken
    for mechanism in {a.release for a in found}:
        most = next(a for a in found if a.release == mechanism and a.epsilon == 4.0)
        assert at_least(round(4000 * most.right), 4000, 1e-6) > 0.5, "the attack reads something at a weak claim"


def test_a_zero_matrix_tells_nothing():
    class Zero:
        def __getitem__(self, rows):
            return np.zeros((4, 1000))

    hidden = attack.random_bits(4, 1000, np.random.default_rng(1))
    found = attack.attacked(Zero(), hidden, 4, "zero", 1.0, 1e-9)
    assert found.square == 0.25
    assert abs(found.right - 0.5) < 0.05
    assert found.epsilon_lower == 0.0


def test_the_bits_are_as_the_theorem_wants_them():
    hidden = attack.random_bits(3, 7, np.random.default_rng(0))
    assert hidden.shape == (45, 7)
    assert set(hidden[:3].ravel()) == {-0.5, 0.5}
    assert not hidden[3:].any()


# ---------------------------------------------------------------- the bound on epsilon


@pytest.mark.parametrize("bits", [15, 60, 400, 3000])
@pytest.mark.parametrize("delta", [0.0, 1e-8, 1e-5])
def test_sound_channels_are_refuted_with_less_than_the_stated_risk(bits, delta):
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


def test_delta_excuses_hits():
    bounds = [attack.epsilon_lower(1000, 1000, delta) for delta in (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 0.5)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > 4
    assert bounds[2] > 3
    assert bounds[-1] == 0.0


# ---------------------------------------------------------------- the command


def test_the_table(capsys):
    text = output(capsys, "--bits", "400", "--epsilon", "1", "4")
    lines = text.splitlines()
    assert lines[0].startswith("400 random bits in 4 rows of 100 above 56 rows of zeros")
    assert [line.split()[0] for line in lines[4:9]] == ["randomized_range_finder"] + 2 * ["project_find_prune"] + 2 * [
        "randomized_response_low_rank"
    ]
    assert "100.00%" in lines[4]
    assert "73.11%" in lines[5]
    assert "BROKEN" not in text
    assert max(map(len, lines)) <= 110
    assert text == output(capsys, "--bits", "400", "--epsilon", "1", "4"), "the seed has a default"
    assert text != output(capsys, "--bits", "400", "--epsilon", "1", "4", "--seed", "1")


def test_json_and_plot(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "attack.svg"
    data = json.loads(output(capsys, "--bits", "60", "--k", "2", "--epsilon", "2", "--json", "-", "--plot", str(plot)))
    assert (data["bits"], data["shape"], data["k"]) == (60, [30, 30], 2)
    assert [row["epsilon"] for row in data["attacks"]] == [None, 2.0, 2.0]
    assert [row["broken"] for row in data["attacks"]] == [False] * 3
    svg = plot.read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    for words in ("any private release, at most", "normal noise on each entry", "project_find_prune", "not private"):
        assert words in svg


def test_a_release_that_breaks_its_claim_is_found_out(capsys, monkeypatch):
    monkeypatch.setattr(attack, "PRIVATE", (leaky, project_find_prune))
    lines = output(capsys, "--epsilon", "0.5", status=1).splitlines()
    assert [line.split()[0] for line in lines if line.endswith("BROKEN")] == ["leaky"]


def test_a_control_that_keeps_a_secret_is_a_failure(capsys, monkeypatch):
    monkeypatch.setattr(attack, "randomized_range_finder", lambda a, k, *, rng: np.eye(len(a))[:, 1 : 2 * k + 2])
    text = output(capsys, "--bits", "40", "--epsilon", "1", status=1)
    assert "BROKEN" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bits", "2001"), "bits must be a multiple of k = 4, got 2001"),
        (("--bits", "8", "--k", "4"), "k must be between 1 and 2, got 4"),
        (("--epsilon", "1", "0"), "epsilon must be positive"),
        (("--epsilon", "nan"), "epsilon must be positive"),
        (("--delta", "0"), "delta must lie"),
        (("--delta", "1"), "delta must lie"),
        (("--plot", "x.png"), "must end in .svg"),
    ],
)
def test_bad_input(capsys, monkeypatch, arguments, message):
    monkeypatch.setattr(attack, "random_bits", None)
    assert run(["attack", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_release_has_the_shape_that_is_attacked():
    hidden = attack.random_bits(1, 20, np.random.default_rng(0))
    release = project_find_prune(hidden, 1, 1.0, 1e-6, rng=0)
    assert isinstance(release, Release)
    assert release.value[:1].shape == (1, 20)
