"""The calculators' script tells what the bounds in Python tell, on a grid, and what the page shows without it."""

import importlib
import itertools
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GRIDS: dict[str, dict[str, list[float]]] = {
    "orbit": {"d": [3, 20, 200], "k": [1, 2], "beta": [1e-6, 0.05], "people": [1000], "share": [0.9]},
    "lower": {"d": [3, 20, 60], "k": [1, 2], "largest": [0.3, 10], "target": [0.01, 0.2]},
    "power": {
        "d": [7, 8, 1000],
        "k": [1, 3],
        "p": [4],
        "rounds": [3, 20],
        "gap": [10, 2e4],
        "ratio": [0.5],
        "largest": [0.2],
        "delta": [1e-6, 0.4],
        "risk": [0.05],
    },
    "rows": {
        "m": [50, 10_000],
        "n": [1000],
        "k": [2],
        "row": [0, 3, 400],
        "tail": [0, 5000],
        "size": [30_000],
        "delta": [1e-6, 0.5],
    },
}
"""Numbers by calculator; epsilon is tried at `EPSILONS`. Seven columns are one and four, eight no such sum."""
EPSILONS: list[float] = [0.3, 1, 4]


@pytest.fixture(scope="module")
def module():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "proofs_notes" / "site")
        yield importlib.import_module("plays.calculators")


@pytest.fixture
def page(visit, module, tmp_path):
    text = module.page()
    blocks = [part.split("\n```")[0] for part in text.split("```{raw} html\n")[1:]]
    file = tmp_path / "calculators.html"
    file.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title>'
        f'<meta name="viewport" content="width=device-width"></head><body>{"".join(blocks)}</body></html>'
    )
    return visit(file, 360)


@pytest.mark.parametrize("name", GRIDS)
def test_the_script_tells_what_the_bound_in_python_tells(page, module, name):
    grid = GRIDS[name] | {"epsilon": EPSILONS}
    cases = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    found = page.evaluate("([name, cases]) => cases.map((numbers) => Calculators[name](numbers))", [name, cases])
    for case, answers in zip(cases, found, strict=True):
        wanted = module.CALCULATORS[name].bound(**case)
        assert {key for key in answers if answers[key] is None} == {key for key in wanted if wanted[key] is None}, case
        for key, value in wanted.items():
            assert value is None or answers[key] == pytest.approx(value, rel=1e-9), (case, key)
    assert page.faults == []


@pytest.mark.parametrize("name", GRIDS)
def test_answers_follow_what_is_entered(page, module, name):
    one, form = module.CALCULATORS[name], page.locator(f'form[data-bound="{name}"]')
    assert [place.text_content() for place in form.locator("output").all()] == [
        module.told(one.bound(**{key: number.start for key, number in one.numbers.items()})[key]) for key in one.told
    ]
    form.locator("input[name=epsilon]").fill("3")
    numbers = {key: number.start for key, number in one.numbers.items()} | {"epsilon": 3.0}
    assert [place.text_content() for place in form.locator("output").all()] == [
        module.told(one.bound(**numbers)[key]) for key in one.told
    ]
    form.locator("input[name=epsilon]").fill("-1")
    assert {place.text_content() for place in form.locator("output").all()} == {"not for these numbers"}
