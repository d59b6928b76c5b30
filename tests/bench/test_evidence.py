"""The scripts that gather evidence on certified arithmetic: what they draw, what they count, and that they can fail."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from bench import certified_agreement as agreement
from bench import certified_bits as bits
from dpspectra.certified import kernels
from dpspectra.fast.linalg import eigenvectors, orbit_projection
from dpspectra.matrices.orthonormal import orthonormal
from tests.support.helpers import entropy

FLOAT32 = "power method, float32 against certified, epsilon 1"
PROMISE = 1.0, 1e-6
MEASURED = {
    "projection, (1, 1e-6)": lambda a, rng: dps.private_projection(a, bits.BASIS, *PROMISE, rng=rng).value.right,
    "every entry, (1, 1e-6)": lambda a, rng: dps.randomized_response_low_rank(a, 1, *PROMISE, rng=rng).value.toarray(),
    "range finder, (1, 1e-6)": lambda a, rng: dps.private_range_finder(a, 1, *PROMISE, oversampling=0, rng=rng).value,
    "project, find, prune, (1, 1e-6)": lambda a, rng: dps.project_find_prune(a, 1, *PROMISE, rng=rng).value.right,
}

AFTERWARDS = {
    "principal component, epsilon 1": lambda h: eigenvectors(h)[1][:, :1],
    "orbit of lines, epsilon 1": lambda h: orbit_projection(h, np.array([1.0, 0.0])),
}
"""Post-processing of what is drawn on a grid."""


@pytest.mark.parametrize("title", [title for title in bits.ROWS if title not in {*MEASURED, FLOAT32}])
def test_certified_rows_draw_what_the_mechanism_releases(title):
    row = bits.ROWS[title]
    released, drawn = (draw(row.pair[1], 1, entropy()).values for draw in (row.ideal, row.certified))
    if "power" in title:
        released, drawn = released[:, 2:], drawn[:, 2:]
    if title in AFTERWARDS:
        drawn = AFTERWARDS[title](drawn[0])
    assert released.tobytes() == drawn.tobytes()


@pytest.mark.parametrize("title", MEASURED)
@pytest.mark.parametrize("rng", [entropy, lambda: np.random.default_rng(5)], ids=["certified", "ideal"])
def test_rows_of_measurements_draw_what_the_mechanism_releases(title, rng):
    row = bits.ROWS[title]
    (drawn,) = row.certified(row.pair[1], 1, rng()).values
    if "range" in title:
        drawn = orthonormal(drawn[:, None])
    if "prune" in title:
        drawn = drawn[4:]  # after the sketch
    assert drawn.ravel() == pytest.approx(MEASURED[title](row.pair[1], rng()).ravel(), rel=1e-12)


@pytest.mark.parametrize("title", [title for title in bits.ROWS if title != FLOAT32])
def test_releases_of_a_batch_have_the_law_of_single_ones(title):
    """Kolmogorov and Smirnov on each number of 400 certified releases and ideal ones, and on products of neighbours.

    A false alarm has probability at most 1e-4 each, and the seeds are fixed.
    """
    row = bits.ROWS[title]
    one, other = (
        draw(row.pair[1], 400, rng).values
        for draw, rng in ((row.certified, entropy()), (row.ideal, np.random.default_rng(1)))
    )
    if "principal" in title:
        other = other @ other.swapaxes(1, 2)
    one, other = one.reshape(400, -1), other.reshape(400, -1)
    for x, y in zip(one.T, other.T, strict=True):
        assert stats.ks_2samp(x, y).pvalue > 1e-4
        assert stats.ks_2samp(x[1:] * x[:-1], y[1:] * y[:-1]).pvalue > 1e-4


def test_float32_is_refused_in_certified_arithmetic():
    row = bits.ROWS[FLOAT32]
    with pytest.raises(ValueError, match="multiplied in float64"):
        row.ideal(row.pair[0], 1, entropy())


@pytest.mark.parametrize("title", bits.ROWS)
def test_certified_draws_show_no_event_and_are_on_the_grid(title):
    """An audit of 128 draws each; a false alarm has probability at most 1e-3, and the seed is fixed."""
    result, counted = bits.audited(bits.ROWS[title], 128, keyed=True)
    assert not result.violated
    assert counted.outputs == [128, 128]
    assert counted.events == [0, 0]
    assert counted.off == 0
    assert counted.numbers >= 256


@pytest.mark.parametrize(
    "title", ["Laplace, epsilon 1, 0 against 1", "spectrum, epsilon 1", "projection, (1, 1e-6)", FLOAT32]
)
def test_float64_is_refuted_and_shows_the_event_on_one_neighbour(title):
    result, counted = bits.audited(bits.ROWS[title], 4_000, keyed=False)
    assert result.violated
    one, other = counted.events
    assert (one > 0) != (other > 0)


@pytest.mark.parametrize("title", ["power method, Laplace, epsilon 1", "symmetric Wishart, epsilon 1, d = 3, 128 rows"])
def test_rare_events_show_in_float64(title):
    row = bits.ROWS[title]
    assert [bool(row.event(row.ideal(x, 800, np.random.default_rng(0)).values).any()) for x in row.pair] == [
        True,
        False,
    ]


@pytest.mark.parametrize("count", [1, 3])
def test_numbers_off_the_grid_are_counted(count):
    numbers = np.array([[3.0, -5, 0], [7, 2**40, 1]]) / 16 / count
    steps = np.full(numbers.shape, 1 / 16)
    assert bits.Drawn(None, numbers, steps, count).off_the_grid() == 0
    assert bits.Drawn(None, numbers, 1 / 8, count).off_the_grid() == 4
    numbers[1] = np.nextafter(numbers[1], 0)
    assert bits.Drawn(None, numbers, steps, count).off_the_grid() == 3


def test_float64_would_be_counted_as_off_the_grid():
    row = bits.ROWS["Laplace, epsilon 1, 0 against 1"]

    def floats(x, size, source):
        values = row.ideal(x, size, np.random.default_rng(0)).values
        return bits.Drawn(values, values, row.certified(x, 1, source).step)

    _, counted = bits.audited(replace(row, certified=floats), 128, keyed=True)
    assert counted.off == counted.numbers == 256
    assert counted.events[0] > 0


# ---------------------------------------------------------------- agreement


@pytest.mark.parametrize("name", agreement.LAWS)
def test_differences_from_balls_are_counted(name, monkeypatch):
    one, ratio = agreement.LAWS[name], 2.0**26
    size, different, left = agreement.agreement(one, ratio, 20)
    assert size >= 20
    assert (different, left) == (0, 0)
    faults = (kernels, "LOG2_LOW", 0.0) if name == "Laplace" else (kernels, "SINE", (0.7,) * len(kernels.SINE))
    monkeypatch.setattr(*faults)
    assert agreement.agreement(one, ratio, 20)[1] > 0


def test_entries_that_are_compared_are_independent():
    rows, columns = np.triu_indices(8)
    diagonal, pairs = (agreement.places(8, place) for place in agreement.WISHART)
    assert sorted([*rows[pairs], *columns[pairs]]) == list(range(8))
    assert (rows[diagonal] == columns[diagonal]).all()
    assert len(diagonal) == 8
    assert len(agreement.places(8, agreement.EVERY)) == 36


def test_another_law_raises_an_alarm():
    """Equal laws do so with probability at most `ALARM`, and the seeds are fixed."""
    rng = np.random.default_rng(0)
    x, y = rng.laplace(size=(2, 50_000))
    assert min(agreement.p_values(agreement.comparisons(x, y))) > agreement.ALARM / 5
    for wrong in (1.1 * y, y + 0.1, rng.normal(scale=2**0.5, size=len(y))):
        assert min(agreement.p_values(agreement.comparisons(x, wrong))) < agreement.ALARM / 30
    assert agreement.p_values((0.5, [0.0, 3.0])) == pytest.approx([0.5, 1.0, 2 * stats.norm.sf(3)])


def test_the_script_says_how_it_went(capsys, monkeypatch):
    monkeypatch.setattr(agreement, "LAWS", {"Laplace": agreement.LAWS["Laplace"]})
    assert agreement.main(["--numbers", "20", "--fine", "20", "--draws", "2000"]) == 0
    assert "5 tests" in capsys.readouterr().out
    one = agreement.LAWS["Laplace"]
    twice = replace(one.law, ideal=lambda *given: 2 * one.law.ideal(*given))
    monkeypatch.setattr(agreement, "LAWS", {"Laplace": replace(one, law=twice)})
    assert agreement.main(["--draws", "2000", "--parts", "law"]) == 1
    monkeypatch.setattr(agreement, "print_agreement", lambda *_: 1)
    assert agreement.main(["--parts", "bits"]) == 1
