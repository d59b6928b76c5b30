"""The command ``convert``: what Python's says, in words and in JSON."""

import json

import pytest

import dpspectra as dps
from dpspectra.cli import run


@pytest.mark.parametrize(
    ("words", "to", "given"),
    [
        ("--rho 0.5 --delta 1e-6", "epsilon", {"rho": 0.5, "delta": 1e-6}),
        ("--epsilon 1 --delta 1e-6 --largest", "rho", {"epsilon": 1.0, "delta": 1e-6, "largest": True}),
        ("--renyi 8:0.5 2:0.1 --delta 1e-6", "epsilon", {"renyi": {8: 0.5, 2: 0.1}, "delta": 1e-6}),
        ("--mu 1 --order 8", "renyi", {"mu": 1.0, "order": 8.0}),
    ],
)
def test_it_says_what_python_says(capsys, words, to, given):
    amount = dps.convert(to, **given)
    assert run(["convert", to, *words.split()]) == 0
    assert capsys.readouterr().out == f"{to} {amount!r}\n"
    assert run(["convert", to, *words.split(), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {to: amount}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rho --epsilon 1 --delta 1e-6", "rho must be asked of a measure from which it follows"),
        ("rho --epsilon 1 --mu 1", "one amount must be given of epsilon, mu, rho, renyi, got 2"),
        ("rho", "one amount must be given of epsilon, mu, rho, renyi, got 0"),
    ],
)
def test_what_does_not_follow_is_refused(capsys, words, message):
    assert run(["convert", *words.split()]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("epsilon --renyi 8 --delta 1e-6", "must be ORDER:AMOUNT, such as 8:0.5, got '8'"),
        ("sigma --mu 1", "invalid choice: 'sigma'"),
    ],
)
def test_bad_usage_ends_with_2(capsys, words, message):
    with pytest.raises(SystemExit) as caught:
        run(["convert", *words.split()])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
