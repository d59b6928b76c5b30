"""Helpers shared by several test modules, imported as ``tests.support.helpers``.

`ALARM` is the false-alarm probability of every statistical test that imports it; do not raise it to silence a failure.
The keys of `forms` occur in parametrised tests. Without dask, `forms` skips the calling test whatever the form.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.sparse.linalg import aslinearoperator

from dpspectra import Entropy
from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.events import HalfLine
from dpspectra.cli import run

ROOT = Path(__file__).parents[2]
"""Folder of the repository."""
ALARM = 1e-6
"""Probability that a statistical test fails although the code is right."""


def entropy(i=0):
    """Certified randomness from the key that is this number."""
    return Entropy(i.to_bytes(32, "big"))


def dask_cluster(**options):
    """Two worker processes of one thread each, on ports that are free; skips where dask is missing."""
    distributed = pytest.importorskip("distributed")
    ports = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}, "dashboard_address": None, "host": "127.0.0.1"}
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, **ports, **options)


def laplace(scale):
    """A mechanism that adds Laplace noise of this scale to a number."""
    return lambda x, *, size, rng: rng.laplace(x, scale, size)


def normal(sigma):
    """A mechanism that adds Gaussian noise of standard deviation ``sigma`` to a number."""
    return lambda x, *, size, rng: rng.normal(x, sigma, size)


def bet(counts, favoured=0, share=1.0, fraction=4):
    """A bet on some event at the first point of a claim, settled by pairs of draws: both in it, one, other, neither."""
    cells = {(1, *hits): n for hits, n in zip(((1, 1), (1, 0), (0, 1), (0, 0)), counts, strict=True) if n}
    return Bet.of(HalfLine("a number", favoured, 0.0, True), 0, share, fraction, cells)


def distance(x, y):
    """Spectral distance between the projectors on the column spaces of two orthonormal bases."""
    return np.linalg.norm(x @ x.T - y @ y.T, 2)


def forms(a, chunks):
    """A dense matrix in the forms that mechanisms take, by name; ``chunks`` are those of the dask array."""
    return {
        "dense": a,
        "lists": a.tolist(),
        "csr": sparse.csr_array(a),
        "csc": sparse.csc_matrix(a),
        "coo": sparse.coo_matrix(a),
        "operator": aslinearoperator(a),
        "dask": pytest.importorskip("dask.array").from_array(a, chunks=chunks),
    }


def refuses(call, message):
    """``call(rng)`` raises a ``ValueError`` whose one line matches, and leaves the state of the generator unchanged."""
    rng = np.random.default_rng(0)
    state = repr(rng.bit_generator.state)
    with pytest.raises(ValueError, match=message) as caught:
        call(rng)
    assert len(str(caught.value).splitlines()) == 1
    assert repr(rng.bit_generator.state) == state


PARTS = ("7315", "0.73", "1.463", "0.535", "2.194")
"""Starts of the number, of its double and its square, and of the norm and the eigenvalue in the tables below."""


def keeps(message, secret=""):
    """Fail if a message holds a part of the secret number or of what follows from it."""
    shown = [part for part in (*PARTS, secret) if part and part in message]
    assert not shown, message
    assert len(message.splitlines()) == 1


def optional(name):
    """Import a library whose own warnings are not ours; skip where it is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def fits(sample, cdf):
    return stats.kstest(sample, cdf).pvalue > ALARM


def output(capsys, *arguments, status=0):
    assert run(arguments) == status
    return capsys.readouterr().out
