"""Code that does not end by itself is ended, in any thread, whoever has the timer, and nothing comes after it."""

import signal
import threading
import time

import pytest

from dpspectra.ground.deadlines import ended


class Over(BaseException):
    """Time is over."""


def loop():
    while True:
        pass


def deaf():
    for _ in range(2):
        try:
            loop()
        except Over:
            continue
    loop()


def in_thread(work):
    found = []

    def kept():
        try:
            found.append(work())
        except BaseException as problem:
            found.append(problem)

    thread = threading.Thread(target=kept)
    thread.start()
    thread.join(30)
    return found[0]


def ended_at_once(body):
    try:
        with ended(time.perf_counter() + 0.05, Over):
            body()
    except Over as problem:
        return problem
    return None


@pytest.mark.parametrize("body", [loop, deaf])
@pytest.mark.parametrize("where", [lambda work: work(), in_thread])
def test_it_is_ended_again_and_again(body, where):
    assert isinstance(where(lambda: ended_at_once(body)), Over)


def test_who_has_the_timer_keeps_it():
    def mine(number, frame):
        raise AssertionError("the timer was used")

    before = signal.signal(signal.SIGALRM, mine)
    try:
        assert isinstance(ended_at_once(loop), Over)
        assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("where", [lambda work: work(), in_thread])
def test_what_ends_in_time_is_left_alone(where):
    def work():
        with ended(time.perf_counter() + 60, Over):
            found = sum(range(10))
        return found + len([None for _ in range(10000)])

    assert where(work) == 10045
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@pytest.mark.parametrize("where", [lambda work: work(), in_thread])
def test_nothing_arrives_after_the_end(where):
    """Runs that end just when their time is over: the exception comes within, or never."""

    def short(end):
        while time.perf_counter() < end:
            pass

    def work():
        for _ in range(40):
            end = time.perf_counter() + 0.01
            try:
                with ended(end, Over):
                    short(end)
            except Over:
                pass
            sum(range(20000))
        return "all of them"

    assert where(work) == "all of them"


def test_what_arrives_as_the_timer_is_stopped_leaves_no_handler(monkeypatch):
    def arriving(which, seconds, again=0.0, real=signal.setitimer):
        real(which, seconds, again)
        if not seconds:
            signal.setitimer = real
            raise Over

    monkeypatch.setattr(signal, "setitimer", arriving)
    assert isinstance(ended_at_once(str), Over)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_somebody_is_told_before():
    told = []
    with pytest.raises(Over), ended(time.perf_counter(), Over, lambda: told.append(1)):
        loop()
    assert told
