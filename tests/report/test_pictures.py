"""Pictures of statements: well-formed, described in words, within their axes, and with the library's own numbers."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.ledger import get
from dpspectra.report import pictures
from dpspectra.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, linear, logarithmic
from dpspectra.report.pictures.picture import svg
from dpspectra.report.pictures.plotted import plotted
from tests.support.helpers import ROOT

SVG = "{http://www.w3.org/2000/svg}"
STYLES = 4


@pytest.fixture(scope="module")
def drawn():
    return {name: draw() for name, draw in pictures.PICTURES.items()}


@pytest.fixture(scope="module")
def parsed(drawn):
    return {name: ElementTree.fromstring(svg(picture)) for name, picture in drawn.items()}


def shown(picture, root, number):
    """The numbers of a drawn line, read back from the picture."""
    path = [p for p in root.iter(f"{SVG}path") if "curve" in p.get("class")][number].get("d")
    across, down = np.array([pair.split() for pair in path[1:].split("L")], dtype=float).T
    shares = (across - LEFT) / (WIDTH - LEFT - RIGHT), (HEIGHT - BOTTOM - down) / (HEIGHT - TOP - BOTTOM)
    return [
        axis.low * (axis.high / axis.low) ** share if axis.log else axis.low + (axis.high - axis.low) * share
        for axis, share in zip((picture.x, picture.y), shares, strict=True)
    ]


def test_there_are_many_of_many_kinds_each_for_one_statement():
    assert len(pictures.KINDS) >= 8
    assert len(pictures.PICTURES) >= 40
    assert sum(len(kind) for kind in pictures.KINDS.values()) == len(pictures.PICTURES)
    assert {name: get(name).id for name in pictures.PICTURES} == {name: name for name in pictures.PICTURES}


def test_each_has_a_title_a_description_and_titles_of_axes(drawn, parsed):
    for name, root in parsed.items():
        assert root[0].tag == f"{SVG}title", name
        assert root[1].tag == f"{SVG}desc", name
        assert root.get("aria-labelledby") == root[0].get("id")
        assert root.get("aria-describedby") == root[1].get("id")
        titles = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "axis"]
        assert titles == [drawn[name].x.title, drawn[name].y.title], name
        assert 0 < len(titles[0]) <= 56, "longer ones are cut on a phone"
        assert 0 < len(titles[1]) <= 36, "longer ones are cut on a phone"
        assert all(title in root[1].text for title in titles), name
        assert all(line.title in root[1].text for line in drawn[name].lines), name
        assert re.fullmatch(r"\S.*[^.]", root[0].text), name
    titles = [picture.title for picture in drawn.values()]
    assert len(titles) == len(set(titles))


def test_each_has_a_caption_of_one_sentence(drawn):
    for name, picture in drawn.items():
        assert picture.caption.endswith("."), name
        assert not re.search(r"[.!?] [A-Z]", picture.caption), name


def test_colours_are_those_of_the_style_sheet(drawn):
    sheet = (ROOT / "proofs_notes" / "site" / "static" / "drawing.css").read_text()
    for name, picture in drawn.items():
        text = svg(picture)
        assert not re.search(r"\b(fill|stroke|style|script|href)=", text), name
        used = {word for classes in re.findall(r'class="([^"]+)"', text) for word in classes.split()} - {
            "axis",
            "nohighlight",
        }
        assert all(f".drawing .{word}" in sheet for word in used), (name, used)
        assert sum(not line.area for line in picture.lines) <= STYLES, name


def test_lines_lie_within_the_axes(drawn):
    for name, picture in drawn.items():
        for line in picture.lines:
            x, y = np.array(line.points).T
            assert np.all((x >= picture.x.low * (1 - 1e-9) - 1e-9) & (x <= picture.x.high * (1 + 1e-9))), name
            assert np.sum((y >= picture.y.low) & (y <= picture.y.high)) >= 2, (name, line.title)
        for group in picture.dots:
            for x, y in group.points:
                assert picture.x.low <= x <= picture.x.high, name
                assert picture.y.low <= y <= picture.y.high, name


def test_ticks_are_round_and_within_the_axis():
    for axis in (
        linear("", 0, 1.6),
        linear("", -3, 7),
        linear("", 0, 120),
        logarithmic("", 1e-12, 1),
        logarithmic("", 5, 90),
    ):
        assert 3 <= len(axis.ticks) <= 10
        assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert logarithmic("", 1e-2, 100).ticks == {100.0: "10²", 10.0: "10¹", 1.0: "1", 0.1: "10⁻¹", 0.01: "10⁻²"}


def test_gaussian_profiles_are_those_of_the_library(drawn, parsed):
    picture, root = drawn["HR-T2.6R"], parsed["HR-T2.6R"]
    for number, mu in enumerate((0.5, 1.0, 2.0)):
        epsilon, delta = shown(picture, root, number)
        assert picture.lines[number].title == f"μ = {mu:g}"
        assert delta == pytest.approx(dps.profile.gaussian(epsilon, mu, 1.0), rel=0.06)


def test_the_refuted_mechanism_has_the_delta_of_the_library(drawn, parsed):
    picture, root = drawn["JXZ-T4"], parsed["JXZ-T4"]
    delta = float(dps.profile.wishart_one_sided(1.0, 1.0, 1.5))
    assert shown(picture, root, 0)[1] == pytest.approx(np.full(61, delta), abs=2e-4)
    assert f"{delta:.3f}" in picture.caption
    assert picture.dots[0].points == [(1.0, 0.0)]


def test_the_utility_gap_is_that_of_the_bounds(drawn, parsed):
    epsilon, gap = shown(drawn["MWKTV-T2.2"], parsed["MWKTV-T2.2"], 0)
    spectrum = np.repeat([1.0, 0.0], [5, 15])
    assert gap == pytest.approx([dps.bounds.orbit_gap(spectrum, e) for e in epsilon], rel=0.01)


def test_packings_are_packings(drawn):
    (kept,) = drawn["JXZ-L5"].dots
    x, y = np.array(kept.points).T
    ends = np.stack([x, y, np.sqrt(1 - x**2 - y**2)], axis=1)
    sines = np.sqrt(np.maximum(0, 1 - (ends @ ends.T) ** 2))[np.triu_indices(len(ends), 1)]
    assert sines.min() > 0.35
    assert str(len(ends)) in drawn["JXZ-L5"].caption


def test_a_statement_is_drawn_by_any_of_its_labels_and_others_name_those_with_a_picture():
    assert pictures.of("L8.2").title == pictures.PICTURES["MWKTV-L8.2"]().title
    with pytest.raises(ValueError, match=r"HP-D2\.1, which has none; of HP these have: HP-.*HP-"):
        pictures.of("HP-D2.1")
    with pytest.raises(ValueError, match="name must be a string that is not empty, got 3"):
        pictures.of(3)


def test_a_figure_has_the_lines_the_dots_and_the_words_of_its_picture(drawn):
    for name in ("JXZ-T4", "JXZ-L5", "HR-T2.6R"):
        picture = drawn[name]
        figure = plotted(picture)
        (axis,) = figure.axes
        assert (axis.get_xscale() == "log", axis.get_yscale() == "log") == (picture.x.log, picture.y.log)
        assert axis.get_xlim() == (picture.x.low, picture.x.high)
        solid = [line for line in picture.lines if not line.area]
        shown = [np.array(line.points) for line in solid] + [np.array(group.points) for group in picture.dots]
        assert all(np.array_equal(line.get_xydata(), seen) for line, seen in zip(axis.lines, shown, strict=True))
        titles = {line.title for line in picture.lines} | {group.title for group in picture.dots}
        assert {text.get_text() for text in axis.get_legend().get_texts()} == titles
        words = [axis.get_title(), axis.get_xlabel(), axis.get_ylabel(), figure.get_supxlabel()]
        told = [" ".join(text.split()) for text in words]
        assert told == [picture.title, picture.x.title, picture.y.title, picture.caption]


def test_areas_are_filled(drawn):
    picture = next(picture for picture in drawn.values() if any(line.area for line in picture.lines))
    assert len(plotted(picture).axes[0].collections) == sum(line.area for line in picture.lines)
