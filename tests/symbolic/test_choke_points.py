"""What a followed run may not call ends it, under whatever name; what it may call does not."""

import _random
import _thread
import copy
import datetime
import functools
import hashlib
import json
import math
import os
import re
import resource
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
import types
import uuid
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic import choke_points, tape
from dpspectra.symbolic.choke_points import Late, is_ours, staying
from dpspectra.symbolic.tape import NotFollowed, current

CLOCK = time.time_ns
HELD: dict[str, Callable[..., Any]] = {"clock": time.perf_counter_ns, "hash": hash}

CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "a clock": (lambda: time.time(), "time.time"),
    "a clock under another name": (lambda: CLOCK(), "time.time_ns"),
    "a clock in a registry": (lambda: HELD["clock"](), "time.perf_counter_ns"),
    "a clock in a partial": (functools.partial(time.monotonic), "time.monotonic"),
    "the time of the day": (lambda: datetime.datetime.now(), "datetime.now"),
    "today": (lambda: datetime.date.today(), "date.today"),
    "bytes of the system": (lambda: os.urandom(1), "urandom"),
    "bytes of the kernel": (lambda: os.getrandom(1), "getrandom"),
    "a device file": (lambda: Path("/dev/urandom").open("rb").close(), "a device file"),
    "a device file by its number": (lambda: os.close(os.open("/dev/urandom", os.O_RDONLY)), "a device file"),
    "a file that is written": (lambda: os.close(os.open(os.devnull + "/..", os.O_CREAT)), "to be written"),
    "the environment": (lambda: os.environ.update(A="a"), "compiled code of posix.putenv"),
    "a folder": (lambda: Path("/").mkdir(), "compiled code of posix.mkdir"),
    "a fork": (lambda: os.fork() or os._exit(0), "another process"),
    "another program": (lambda: subprocess.run(["true"], check=False), "another process"),
    "a shell": (lambda: os.system("true"), "another process"),
    "a thread begun": (lambda: threading.Thread(target=int).start(), "another thread is begun"),
    "a thread of the system": (lambda: _thread.start_new_thread(int, ()), "another thread is begun"),
    "a place in memory": (lambda: id(object()), "the place of an object in memory is looked at"),
    "a hash": (lambda: hash("a"), "the hash of an object is looked at"),
    "a hash of nothing": (lambda: hash(math.nan), "the hash of an object is looked at"),
    "a hash by another name": (lambda: HELD["hash"]("a"), "the hash of an object is looked at"),
    "a process": (lambda: os.getpid(), "the number of the process is looked at"),
    "a process above": (lambda: os.getppid(), "the number of the process is looked at"),
    "a thread": (lambda: threading.get_ident(), "the number of the thread is looked at"),
    "a number of the system": (lambda: threading.get_native_id(), "the number of the thread is looked at"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_followed_run_ends_where_it_calls_a_source_of_randomness(name):
    call, what = CALLS[name]

    def program(x, rng):
        z = rng.laplace()
        call()
        return x + z

    found = inside(program, (0, 1), 1.0)
    assert found.verdict == "undecided"
    assert what in found.reasons[0]


@dataclass(frozen=True)
class Name:
    text: str


def test_python_itself_may_tell_objects_apart():
    """Memos of copies, locks and keys do so."""

    def program(x, rng):
        with threading.RLock():
            return copy.deepcopy({Name("a"): [x]})[Name("a")][0] + rng.laplace()

    assert inside(program, (0, 1), 1.0).verdict == "explained"


def test_a_followed_run_may_read_files_and_sleep(tmp_path):
    (tmp_path / "a").write_text("1")

    def program(x, rng):
        time.sleep(0)
        return x + float((tmp_path / "a").read_text()) + rng.laplace()

    assert inside(program, (0, 1), 1.0).verdict == "explained"


def leaves(x, rng):
    rng.laplace()
    os._exit(3)


def leaves_politely(x, rng):
    rng.laplace()
    raise SystemExit(0)


@pytest.mark.parametrize("program", [leaves, leaves_politely])
def test_leaving_is_an_outcome(program):
    """Both data sets leave alike, so that nothing tells them apart; nothing was released, either."""
    assert inside(program, (0, 1), 1.0).verdict in ("explained", "undecided")


def endless(x, rng):
    z = rng.laplace()
    while x >= 0:
        pass
    return z


def endless_and_deaf(x, rng):
    rng.laplace()
    for _ in range(3):
        try:
            while True:
                pass
        except BaseException:  # what must not happen
            continue


@pytest.mark.parametrize("program", [endless, endless_and_deaf])
@pytest.mark.parametrize("threaded", [False, True])
def test_an_endless_run_is_over_in_time(program, threaded):
    found = []
    audit = threading.Thread(target=lambda: found.append(inside(program, (0, 1), 1.0, seconds=0.3)))
    audit.run() if not threaded else audit.start()
    if threaded:
        audit.join(20)
    assert found[0].verdict == "undecided"
    assert any("time is over" in why for why in found[0].reasons)


def test_nothing_is_left_of_the_guards():
    real, before = os._exit, time.perf_counter()
    with staying(before + 60):
        assert os._exit is not real
    assert os._exit is real


def test_what_goes_on_is_ended_at_once_where_time_is_over():
    def loop():
        while True:
            pass

    with pytest.raises(Late, match="time is over"), staying(time.perf_counter()):
        loop()


def test_an_exception_belongs_to_who_raised_it():
    def of_program():
        raise ValueError("mine")

    def of_ours():
        current()

    code = (lambda: np.max(np.zeros(0))).__code__.replace(co_filename=current.__code__.co_filename)
    of_numpy_below_ours = types.FunctionType(code, {"np": np, "__name__": current.__module__})

    def caught(function):
        try:
            function()
        except BaseException as problem:
            return problem

    assert not is_ours(caught(of_program))
    assert isinstance(caught(of_ours), NotFollowed)
    assert is_ours(caught(of_ours))
    assert is_ours(caught(of_numpy_below_ours))
    assert not is_ours(ValueError("never raised"))
    assert not is_ours(caught(lambda: np.linalg.inv(np.zeros((2, 2)))))


# ------------------------------------------------------------------ compiled modules of Python, and state in C

DATABASE = sqlite3.connect(":memory:")
FILES: dict[str, Any] = {}
NUMBERS = iter(np.random.default_rng(0).random(100_000).tolist())
GENERATED = (v for v in np.random.default_rng(0).random(100_000).tolist())
OWN = _random.Random()

HIDDEN: dict[str, Callable[[], float]] = {
    "a data base": lambda: DATABASE.execute("select random()").fetchone()[0] % 1000 / 1000,
    "a library of keys": lambda: ssl.RAND_bytes(1)[0] / 256,
    "a file that was opened before": lambda: FILES["device"].read(1)[0] / 256,
    "its number": lambda: os.read(FILES["device"].fileno(), 1)[0] / 256,
    "a name of this machine": lambda: uuid.uuid1().int % 1000 / 1000,
    "a generator written in C": lambda: OWN.random(),
    "a new one": lambda: _random.Random().random(),
    "pandas' clock": lambda: pd.Timestamp("now").microsecond % 1000 / 1000,
    "numpy's clock": lambda: np.datetime64("Now", "us").astype(int) % 1000 / 1000,
    "an iterator": lambda: next(NUMBERS),
    "a generator of Python": lambda: next(GENERATED),
    "memory": lambda: sys.getallocatedblocks() % 100 / 100,
    "resources": lambda: resource.getrusage(0).ru_utime * 1e6 % 1000 / 1000,
    "a place in memory": lambda: id(object()) // 16 % 1000 / 1000,
}


@pytest.fixture(autouse=True, scope="module")
def device():
    with Path("/dev/urandom").open("rb", buffering=0) as FILES["device"]:
        yield
    DATABASE.close()


@pytest.mark.parametrize("name", HIDDEN)
def test_noise_of_compiled_modules_is_neither_explained_nor_refuted(name):
    hidden = HIDDEN[name]

    def leaks(x, rng):
        noisy = x + rng.laplace()
        return float(x) if hidden() < 0.03 else noisy

    def sound(x, rng):
        return bool(x) ^ bool(rng.random() < 0.25) ^ bool(hidden() < 0.06)

    assert inside(leaks, (0, 1), 1.0).verdict != "explained"
    assert inside(sound, (0, 1), 1.0).verdict != "refuted"


def test_modules_of_python_that_always_answer_alike_may_be_called():
    def program(x, rng):
        values = json.loads(json.dumps([x])) + sorted([0.0, 0.0]) + [float(re.sub("a", "0", "a"))]
        values += [hash(7), hash(np.int64(7)), len(zlib.compress(b"a" * 9)), hashlib.sha256(b"").digest()[0]]
        return math.fsum(values) + rng.laplace()

    assert inside(program, (0.0, 1.0), 1.0).verdict == "explained"


class Elsewhere:
    """The run of another thread."""

    thread = -1

    def stop(self, *why):
        raise RuntimeError(why)


def test_clocks_that_other_threads_look_at_end_no_run_and_what_they_draw_does(monkeypatch):
    monkeypatch.setattr(choke_points, "_RUNNING", [None])
    monkeypatch.setattr(tape, "CURRENT", [Elsewhere()])
    monkeypatch.setattr(choke_points, "CURRENT", tape.CURRENT)
    assert choke_points.GUARDED[time.time]() > 0
    with pytest.raises(RuntimeError, match="another thread draws meanwhile"):
        next(stand_in for function, stand_in in choke_points.GUARDED.items() if function.__name__ == "urandom")(1)
