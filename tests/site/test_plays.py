"""The interactive pages: well-formed, the same at every build, and with the library's own numbers.

The covariance page is computed at fewer places than for the site. Seeds are fixed.
"""

import importlib
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.ledger import labels
from dpspectra.ledger.papers import PAPERS
from dpspectra.profile import wishart
from tests.support.helpers import ROOT

SITE = ROOT / "proofs_notes" / "site"
BLOCK = re.compile(r"^```\{raw\} html\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DATA = re.compile(r'<script type="application/json">(.*?)</script>')


@pytest.fixture(scope="module")
def plays():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SITE)
        yield importlib.import_module("plays")


@pytest.fixture(scope="module")
def pages(plays):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plays.covariance_error, "EPSILONS", (0.2, 1.0))
        patch.setattr(plays.covariance_error, "EXPONENTS", (-6, -8))
        return {name: page() for name, page in plays.FIGURES.items()}


@pytest.fixture(scope="module")
def numbers(pages):
    return {name: json.loads(DATA.search(page)[1]) for name, page in pages.items()}


def test_pages_are_well_formed(pages):
    for page in pages.values():
        assert page.startswith("# ")
        (block,) = BLOCK.findall(page)
        text = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", block, flags=re.DOTALL)
        text = re.sub(r"(<input[^>]*)>", r"\1/>", text).replace("autocomplete", "data-x")
        figure = ElementTree.fromstring(text)
        names = [part.get("data-part") for part in figure.iter() if part.get("data-part")]
        assert len(names) == len(set(names))
        for part in figure.iter("input"):
            assert int(part.get("min")) <= int(part.get("value")) <= int(part.get("max"))
            assert part.get("aria-label")


def test_pages_hold_an_answer_for_every_position(pages, numbers):
    for name, data in numbers.items():
        sizes = data["sizes"]
        for part in [*data["curves"].values(), *data["marks"].values(), *data["texts"].values()]:
            assert len(part["values"]) == np.prod([sizes[control] for control in part["by"]], dtype=int), name
        for curve in data["curves"].values():
            assert all(len(values) == len(curve["grid"]) for values in curve["values"])
        assert [len(words) for words in data["labels"]] == sizes


def test_pages_are_small_ask_no_server_and_name_labels_that_exist(pages):
    known = {label.label for label in labels()}
    for page in pages.values():
        assert len(page) < 200_000
        assert "http" not in page
        assert set(re.findall(rf"\b(?:{'|'.join(PAPERS)})-[\w.]*\w", DATA.sub("", page))) <= known


def test_a_page_is_the_same_at_every_build(plays, pages):
    assert plays.profiles.page() == pages["profiles"]


def test_profiles_are_those_of_the_library(numbers):
    data = numbers["profiles"]
    epsilons, deltas = (np.array(words, dtype=float) for words in data["labels"][:2])
    printed = data["curves"]["printed"]["values"]
    for i, epsilon in enumerate(epsilons):
        assert printed[i][0] == pytest.approx(-np.expm1(-epsilon / 3), rel=0.01)
        for j, delta in enumerate(deltas):
            place = i * len(deltas) + j
            sigma = dps.calibrate.gaussian(epsilon, delta, 1.0)
            d = int(data["labels"][2][0])
            freedom = int(data["texts"]["freedom"]["values"][place * data["sizes"][2]])
            grid = data["curves"]["gaussian"]["grid"]
            exact = {
                "gaussian": dps.profile.gaussian(grid, 1.0, sigma),
                "wishart": wishart(grid, freedom, d, 1.0, 1.0),
            }
            for name, deltas_there in exact.items():
                curve = data["curves"][name]
                assert curve["values"][place] == pytest.approx(deltas_there, rel=0.006, abs=1e-300)
            assert wishart(epsilon, freedom, d, 1.0, 1.0) <= delta < wishart(epsilon, freedom - 1, d, 1.0, 1.0)
            assert float(data["texts"]["sigma"]["values"][place * data["sizes"][2]]) == pytest.approx(sigma, rel=1e-3)
            assert data["marks"]["claim"]["values"][place] == pytest.approx([epsilon, delta])


@pytest.mark.parametrize(
    ("name", "mechanism", "approximate"),
    [
        ("laplace", dps.laplace_covariance, False),
        ("difference", dps.symmetric_wishart_covariance, False),
        ("gaussian", dps.gaussian_covariance, True),
        ("wishart", dps.wishart_covariance, True),
    ],
)
@pytest.mark.parametrize("d", [2, 16])
def test_errors_are_those_that_the_mechanisms_guarantee(numbers, name, mechanism, approximate, d):
    data = numbers["covariance_error"]
    curve = data["curves"][name]
    place = {0: data["labels"][0].index(str(d)), 1: 1, 2: data["labels"][2].index("1,000")}
    index = 0
    for control in curve["by"]:
        index = index * data["sizes"][control] + place[control]
    delta = (float(data["labels"][1][1]),) if approximate else ()
    for epsilon, drawn in zip(curve["grid"], curve["values"][index], strict=True):
        release = mechanism(np.zeros((1000, d)), epsilon, *delta, arithmetic="ideal")
        assert drawn == pytest.approx(release.details["guarantee"].bound, rel=0.006)


def test_the_audits_are_those_of_the_library(plays, numbers):
    data, module = numbers["audit_region"], plays.audit_region
    verdicts = data["texts"]["verdict"]["values"]
    size = data["sizes"][1]
    assert verdicts[size - 1 :: size] == ["refuted", "refuted", "not refuted"]
    again = audit(module.noise(2.0), (0.0, 1.0), module.CLAIM, draws=module.DRAWS[-1], rng=7)
    assert data["texts"]["bound"]["values"][size - 1] == f"{again.bound:.3f}"
    bounds = [[float(x) for x in data["texts"]["bound"]["values"][i * size : (i + 1) * size]] for i in range(3)]
    assert all(list(row) == sorted(row) for row in bounds), "what is proved stays proved"
    forbidden = data["curves"]["forbidden"]
    corner = 1 / (1 + np.exp(1.0))
    assert np.interp(corner, forbidden["grid"], forbidden["values"][0]) == pytest.approx(corner, abs=1e-3)


def test_every_calculator_is_a_form_with_its_first_answers(plays):
    page = plays.calculators.page()
    known = {label.label for label in labels()}
    for name, one in plays.calculators.CALCULATORS.items():
        (form,) = re.findall(rf'<form class="calculator" data-bound="{name}">.*?</form>', page)
        assert one.statement in known
        assert re.findall(r'<input type="number" name="(\w+)"', form) == list(one.numbers)
        found = one.bound(**{key: number.start for key, number in one.numbers.items()})
        assert re.findall(r'<output name="(\w+)">([^<]+)<', form) == [
            (key, plays.calculators.told(found[key])) for key in one.told
        ]
        assert all(number.low <= number.start <= number.high for number in one.numbers.values())
    assert "http" not in page


def test_from_the_needed_epsilon_on_a_statement_says_something(plays):
    starts = {
        name: {key: number.start for key, number in one.numbers.items()}
        for name, one in plays.calculators.CALCULATORS.items()
    }

    def told(name, epsilon):
        return plays.calculators.CALCULATORS[name].bound(**starts[name] | {"epsilon": epsilon})

    needed = {name: told(name, 1.0)["needed"] for name in starts}
    assert told("orbit", needed["orbit"])["lost"] == pytest.approx(1)
    assert told("rows", needed["rows"])["error"] == pytest.approx(1)
    target = starts["lower"]["target"]
    assert told("lower", needed["lower"] / 1.001)["bound"] > target >= told("lower", needed["lower"] * 1.001)["bound"]
    assert told("power", needed["power"] / 1.001)["reached"] is None
    assert told("power", needed["power"] * 1.001)["reached"] < 0.5
    assert told("power", needed["power"] * 1.001)["after"] >= 1


def test_a_number_is_told_to_four_digits(plays):
    assert [plays.calculators.told(x) for x in (None, 0.0, 0.123456, 3.0, 123456.0)] == [
        "nothing",
        "0",
        "0.1235",
        "3",
        "123500",
    ]
