"""The list of slow tests is what its rule makes of a timed run."""

import re

import pytest

import tests.support.slow as slow
from tests.support.helpers import ROOT
from tests.support.slow import LEAST, WHOLE, chosen, listed

pytest_plugins = ["pytester"]


def test_single_parameters_are_left_out_the_slowest_first(monkeypatch):
    monkeypatch.setattr(slow, "TOTAL", 10.0)
    monkeypatch.setattr(slow, "WHOLE", 30.0)
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


def test_a_test_in_the_list_is_a_function_of_its_file():
    gone = []
    for name in listed():
        file, _, function = name.partition("[")[0].partition("::")
        if not re.search(rf"\b{function.rpartition('::')[2]}\b", (ROOT / file).read_text(encoding="utf-8")):
            gone.append(name)
    assert gone == []


def test_a_whole_test_is_left_out_if_another_one_of_its_file_stays(monkeypatch):
    monkeypatch.setattr(slow, "TOTAL", 0.0)
    many = {"a::t[1]": 2 * WHOLE, "a::t[2]": WHOLE, "a::u": WHOLE, "a::v": 0.9 * WHOLE, "b::w": 9 * WHOLE}
    assert slow.slow(many) == ["a::t[1]", "a::t[2]", "a::u"]
    assert slow.slow({"a::t": 2 * WHOLE, "a::u": WHOLE}) == ["a::t"]


def test_a_timed_run_writes_the_list_by_what_each_test_takes(pytester, monkeypatch):
    """One test waits for a process that works, one sleeps: the first takes its time, and is the slow one."""
    monkeypatch.setenv("SLOW_TIMES", "1")
    monkeypatch.setattr(slow, "LIST", pytester.path / "slow.txt")
    for name, value in (("TOTAL", 0.0), ("WHOLE", 0.15), ("LEAST", 0.1)):
        monkeypatch.setattr(slow, name, value)
    pytester.makeconftest("from tests.support.slow import timed as pytest_configure")
    works = "import time\nwhile time.process_time() < 0.3: pass"
    pytester.makepyfile(
        test_it=f"""
        import subprocess, sys, time
        def test_works(): subprocess.run([sys.executable, "-S", "-c", {works!r}])
        def test_sleeps(): time.sleep(0.3)
        """
    )
    assert pytester.inline_run("-p", "no:cacheprovider").ret == 0
    assert listed() == {"test_it.py::test_works"}
