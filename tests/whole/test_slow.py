"""The list of slow tests is what its rule makes of a timed run."""

import pytest

import tests.support.slow as slow
from tests.support.slow import LEAST, chosen, listed


def test_single_parameters_are_left_out_the_slowest_first(monkeypatch):
    monkeypatch.setattr(slow, "TOTAL", 10.0)
    seconds = {"a::t[1]": 9.0, "a::t[2]": 8.0, "a::t[3]": 1.0, "a::u": 20.0, "b::v[1]": 7.0, "b::v[2]": 6.0}
    assert slow.slow(seconds) == ["a::t[1]", "a::t[2]", "b::v[1]"]


def test_as_few_as_are_enough_are_left_out(monkeypatch):
    seconds = {"a::t[1]": 3.0, "a::t[2]": 2.0, "a::t[3]": 1.0}
    for total, left_out in ((6.0, []), (5.9, ["a::t[1]"]), (3.0, ["a::t[1]"]), (2.9, ["a::t[1]", "a::t[2]"])):
        monkeypatch.setattr(slow, "TOTAL", total)
        assert slow.slow(seconds) == left_out


def test_quick_tests_are_never_left_out(monkeypatch):
    monkeypatch.setattr(slow, "TOTAL", 0.0)
    assert slow.slow({f"a::t[{k}]": LEAST / 2 for k in range(9)}) == []


@pytest.mark.parametrize("which", ["", "1", "only"])
def test_the_runs_share_out_all_tests(which):
    names = {*listed(), "tests/whole/test_slow.py::another"}
    assert chosen(names, which) == {"": names - listed(), "1": names, "only": listed()}[which]


def test_another_word_is_refused():
    with pytest.raises(KeyError):
        chosen((), "2")


def test_of_each_test_in_the_list_some_parameter_stays():
    assert all("[" in name for name in listed())
