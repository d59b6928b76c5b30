"""A thread of the user beside an audit makes it undecided; threads of libraries, and one that waits, do not."""

import concurrent.futures
import contextlib
import threading
import time

import pytest

from dpspectra.audit import inside
from dpspectra.symbolic.other_threads import at_work


def noisy(x, rng):
    return x + rng.laplace()


@contextlib.contextmanager
def beside(work):
    """A thread that works, and one that waits in code of Python."""
    over = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pool.submit(over.wait)
        pool.submit(work, over)
        time.sleep(0.05)
        try:
            yield
        finally:
            over.set()


def served(over):
    while not over.wait(0.001):
        pass


def test_a_thread_of_the_user_leaves_it_undecided():
    with beside(served):
        found = inside(noisy, (0, 1), 1.0)
    assert found.verdict == "undecided"
    assert any("test_other_threads.py:" in why and "(served)" in why for why in found.reasons)


def test_threads_in_code_of_python_do_not():
    with beside(lambda over: None):
        assert at_work() is None
        assert inside(noisy, (0, 1), 1.0).verdict == "explained"


@pytest.mark.parametrize("function", [served, time.sleep])
def test_a_timer_tells_by_what_it_will_call(function):
    timer = threading.Timer(60, function)
    timer.start()
    told = at_work()
    timer.cancel()
    timer.join()
    assert told == (f"served of {__name__}" if function is served else None)


def test_one_that_waits_for_another_to_end_does_nothing_meanwhile():
    found = []
    thread = threading.Thread(target=lambda: found.append(inside(noisy, (0, 1), 1.0)))
    thread.start()
    thread.join()
    assert found[0].verdict == "explained"
