"""A child of a fork is another process, repeats no noise of its parent, and waits for no thread of it."""

import os
import threading

import pytest

import dpspectra as dps
from dpspectra.certified import ball_noise
from dpspectra.ground import fork_safety

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
X = [[0.5, 0.25], [0.125, 0.0]]


def told(work):
    """What a child of a fork returns, as text; it is ended if it does not within 20 seconds."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(write, str(work()).encode())
        except BaseException as problem:
            os.write(write, f"{type(problem).__name__}: {problem}".encode())
        finally:
            os._exit(0)
    os.close(write)
    late = threading.Timer(20, os.kill, (child, 9))
    late.start()
    with os.fdopen(read, "rb") as file:
        text = file.read().decode()
    late.cancel()
    os.waitpid(child, 0)
    return text


def test_a_child_is_another_process_and_so_is_its_child():
    here = fork_safety.here()
    assert fork_safety.here() is here
    assert told(lambda: fork_safety.here() is here) == "False"
    assert told(lambda: (fork_safety.here(), told(lambda: fork_safety.here() is here))[1]) == "False"


def test_a_child_never_repeats_its_parents_noise():
    """With fresh entropy, in both arithmetics; an object of a key is refused where it was not made."""
    entropy = dps.Entropy(bytes(range(32)))
    dps.laplace_covariance(X, 1.0, rng=entropy)
    refused = "ValueError: an Entropy must be used by the process that made it"
    assert told(lambda: dps.laplace_covariance(X, 1.0, rng=entropy)).startswith(refused)
    assert dps.laplace_covariance(X, 1.0, rng=entropy).claim.arithmetic == "certified"
    for arithmetic in ("certified", "ideal"):
        release = lambda a=arithmetic: dps.laplace_covariance(X, 1.0, arithmetic=a).value.tolist()  # noqa: E731
        assert len({told(release), told(release), str(release())}) == 3


def test_a_child_waits_for_no_thread_that_it_lacks():
    """The thread holds the lock of the balls nearly always; without care more than half of the children hang."""
    going = True

    def draw():
        while going:
            with ball_noise.precision(100):
                sum(range(2000))

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        found = [told(lambda: ball_noise.nearest(lambda bits: ball_noise.exact(3))) for _ in range(12)]
    finally:
        going = False
        thread.join()
    assert found == ["3"] * 12
