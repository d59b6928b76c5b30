"""Pictures of releases: what they say, texts that are apart at all widths, and refused releases."""

import itertools
import sys

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.ground import figures
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.mechanisms.release_plot import NOT_DRAWN

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

RNG = np.random.default_rng(0)
ROWS = dps.clipped_rows(RNG.normal(size=(4000, 6)) * [0.5, 0.3, 0.1, 0.02, 0.02, 0.02], 1.0)
NAMES = ["age", "income in $ a year", "x" * 40, "b", "c", "été"]
FRAME = (-1.0, 1.0, -0.5, 0.5)
WIDTHS = (3.6, 6.0, 9.0, 13.3)
"""In inches: of a phone, a column, a page, a slide."""


def histogram(epsilon=5.0, seed=1, **given):
    groups = np.where(ROWS[:, 0] > 0, "right of the middle", "left")
    levels = {"groups": groups, "levels": ["left", "right of the middle"]} if given.pop("grouped", False) else {}
    return dps.private_score_histogram(ROWS, epsilon, np.eye(6, 2), FRAME, rng=seed, **levels, **given)


RELEASES = {
    "components": lambda: dps.private_pca(ROWS, 3, 1.0, rng=2),
    "all is noise": lambda: dps.private_pca(ROWS[:20], 4, 0.01, rng=3),
    "about a mean": lambda: dps.private_pca(ROWS, 2, 1.0, center="mean", rng=4),
    "one": lambda: dps.private_pca(ROWS, 1, 1.0, 1e-6, rng=5),
    "orbit": lambda: dps.private_pca(ROWS, 2, 1.0, mechanism="orbit", rng=6),
    "covariance": lambda: dps.private_covariance(ROWS, 1.0, rng=7),
    "moments": lambda: dps.private_moments(ROWS, 1.0, rng=8),
    "spectrum": lambda: dps.private_spectrum(ROWS, 4, 1.0, rng=9),
    "of a covariance": lambda: dps.components(dps.laplace_covariance(ROWS, 1.0, rng=10), 5),
    "many columns": lambda: dps.private_pca(RNG.normal(size=(9, 70)) / 30, 12, 1.0, rng=11),
    "many eigenvalues": lambda: dps.gaussian_covariance(RNG.normal(size=(9, 70)) / 30, 1.0, 1e-3, rng=12),
    "scores": histogram,
    "scores by group": lambda: histogram(grouped=True),
    "scores of nobody": lambda: histogram(1e-3),
}


def texts(figure):
    """Texts of a figure that can be seen, with their boxes in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    beyond = set()  # marks outside of what an axis shows are there, and not drawn
    for axis in (each for axes in figure.axes for each in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            beyond |= set() if low <= tick.get_loc() <= high else {tick.label1, tick.label2}
    seen = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in seen if text not in beyond]


def apart(one, other):
    """Whether two boxes have no more than a pixel in common."""
    return min(one.x1, other.x1) - max(one.x0, other.x0) <= 1 or min(one.y1, other.y1) - max(one.y0, other.y0) <= 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RELEASES)
def test_no_two_texts_touch_and_none_is_cut_off(name, width):
    figure = RELEASES[name]().plot(width=width)
    assert figure.get_size_inches()[0] == width
    inside = figure.bbox
    found = texts(figure)
    assert len(found) > 8
    for text, box in found:
        assert box.x0 >= -1, text
        assert box.x1 <= inside.x1 + 1, text
        assert box.y0 >= -1, text
        assert box.y1 <= inside.y1 + 1, text
    overlaps = [(a, b) for (a, one), (b, other) in itertools.combinations(found, 2) if not apart(one, other)]
    assert overlaps == []


@pytest.mark.parametrize("name", RELEASES)
def test_the_headline_says_what_stands_out(name):
    release = RELEASES[name]()
    said = RELEASES[name]().plot().get_suptitle()
    if name == "orbit":
        assert said == ""
    elif name.startswith("scores"):
        seen = int(np.sum(release.value >= release.details["visible_from"]))
        assert said == (f"{seen} of {release.value.size} cells stand out from noise" if seen else said)
        assert said.startswith("No cell") is (not seen)
    elif "shown" in release.details:
        whole = release.value[-1] if isinstance(release.value, tuple) else release.value
        number, k = release.details["shown"], len(release.details.get("eigenvalues", whole))
        assert said.startswith("No component") is (number == 0)
        assert (f"to {number} of {k}" in said) is (1 < number < k)
    assert said.startswith("No ") is (name in ("all is noise", "many columns", "many eigenvalues", "scores of nobody"))


def test_the_headline_agrees_with_the_remarks_on_directions():
    """Two equal eigenvalues stand out, and their directions are arbitrary."""
    told = []
    for spread in ([0.5, 0.5, 0.1], [0.5, 0.2, 0.1]):
        rows = dps.clipped_rows(np.random.default_rng(17).normal(size=(40_000, 3)) * spread, 1.0)
        release = dps.private_pca(rows, 2, 1.0, rng=18)
        assert release.details["shown"] == 2
        assert bool(release.remarks) is (len(told) == 0)
        told.append(release.plot().get_suptitle())
    arbitrary, clear = (" ".join(said.split()) for said in told)
    assert arbitrary == "All 2 eigenvalues stand out from noise, but 2 directions are arbitrary"
    assert clear == "All 2 components stand out from noise"


def test_remarks_claim_and_guarantee_stand_below():
    release = RELEASES["all is noise"]()
    said = " ".join(release.plot(width=30).get_supxlabel().split())
    assert release.remarks
    for text in (*release.remarks, "epsilon 0.01", "neighbours: replace", release.details["guarantee"].quantity):
        assert " ".join(text.split()) in said


def test_columns_have_their_names_and_those_with_large_loadings_are_kept():
    release = dps.private_pca(ROWS, 2, 10.0, rng=13)
    marks = [text for text, _ in texts(release.plot(NAMES))]
    assert {"age", r"income in \$ a year", "x" * 16 + "..", r"\xe9t\xe9"} <= set(marks)
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(ROWS, columns=["u", "v", "w", "p", "q", "r"])
    release = dps.private_pca(table, 2, 10.0, rng=14)
    assert {"u", "v", "w", "p", "q", "r"} <= {text for text, _ in texts(release.plot())}
    for wrong in (["u", "v"], "uvwpqr", 5):
        with pytest.raises(ValueError, match="columns must be a list of names, one for each of 6 columns, got "):
            release.plot(wrong)
    wide = dps.private_pca(np.eye(40)[[39, 38] * 500], 2, 50.0, rng=15)
    assert {"39", "40"} <= {text for text, _ in texts(wide.plot())}


def cells(figure):
    """Numbers of the maps of a figure that are shown."""
    return [image.get_array() for axis in figure.axes for image in axis.images]


def test_scores_are_shown_from_the_threshold_on_or_all():
    release = histogram(grouped=True)
    sparse, plain = cells(release.plot()), cells(release.plot(all_cells=True))
    assert len(sparse) == len(plain) == 2
    for shown, every, counts in zip(sparse, plain, release.value, strict=True):
        seen = counts >= release.details["visible_from"]
        assert seen.any()
        assert np.array_equal(~np.ma.getmaskarray(shown), seen.T)
        assert np.array_equal(np.ma.getdata(every), np.maximum(counts, 0).T)
        assert not np.ma.getmaskarray(every).any()


def test_shares_and_eigenvalues_are_drawn_with_their_intervals():
    release = RELEASES["components"]()
    found = dps.eigenvalue_intervals(release)
    scree, shares, *_ = release.plot().axes
    lines = [segment for lines in scree.collections for segment in getattr(lines, "get_segments", list)()]
    ends = np.array([sorted(segment[:, 1]) for segment in lines])
    assert np.allclose(ends, found.eigenvalues)
    bars = sorted(shares.patches, key=lambda bar: bar.get_x())
    assert np.allclose([(bar.get_y(), bar.get_y() + bar.get_height()) for bar in bars], found.shares)
    edges = [line.get_ydata()[0] for line in scree.lines if line.get_label() == "edge of noise alone"]
    assert edges == [release.details["noise_edge"]]


@pytest.mark.parametrize("kind", figures.KINDS)
def test_equal_releases_give_equal_files(kind):
    release = dps.private_pca(ROWS, 2, 1.0, rng=16)
    one, other = (figures.content(release.plot(), kind) for _ in range(2))
    assert one[:4] == {"svg": b"<?xm", "png": b"\x89PNG", "pdf": b"%PDF"}[kind]
    if kind != "svg":  # which numbers its clips at random
        assert one == other


ARGUMENTS = {"k": 2, "delta": 1e-3, "directions": np.eye(4, 2), "frame": FRAME}


@pytest.mark.parametrize("name", OFFERED)
def test_the_command_line_knows_what_has_no_picture(name):
    record = OFFERED[name]
    rows = ROWS[:200, :4]
    release = record.function()(rows, epsilon=1.0, **{each: ARGUMENTS[each] for each in record.needs})
    if name in NOT_DRAWN:
        with pytest.raises(ValueError, match=r"directions or counts of scores to be drawn, .*: private_pca, "):
            release.plot()
    else:
        assert release.plot().axes


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"^plots need matplotlib: pip install 'dpspectra\[plot\]'$"):
        RELEASES["components"]().plot()


@pytest.mark.parametrize("width", [2.9, 31, np.nan, "9"])
def test_widths_that_nobody_has_are_refused(width):
    with pytest.raises(ValueError, match="width must be"):
        RELEASES["components"]().plot(width=width)
