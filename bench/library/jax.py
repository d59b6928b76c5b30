"""jax 0.10.2 and jax-privacy 2.0.0: noise drawn in compiled code, from a key."""

import math
import secrets

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import noise_addition

from bench.foreign import COMPILED, ONE, Mechanism
from dpspectra.audit import GDP


def compiled(name, run, pair, claim=ONE, **known):
    return Mechanism(name, run, pair, claim, noise=COMPILED, **known)


def _key():
    return jax.random.key(secrets.randbits(32))


def _one_bit(x, seed=None):
    key = _key() if seed is None else jax.random.key(seed)
    return bool(jax.random.uniform(key) < (0.9 if x else 0.5))


def _clipped(rows, bound=1.0):
    lengths = jnp.linalg.norm(rows, axis=1, keepdims=True)
    total = (rows / jnp.maximum(1.0, lengths / bound)).sum(axis=0)
    return np.asarray(total + 2.0 * jax.random.normal(_key(), total.shape))


def _unclipped(rows):
    return np.asarray(jnp.asarray(rows).sum(axis=0) + 2.0 * jax.random.normal(_key(), (2,)))


def _privatizer(x):
    made = noise_addition.gaussian_privatizer(stddev=2.0, prng_key=_key())
    given = jnp.asarray([x, 0.0])
    return np.asarray(made.update(given, made.init(given))[0])


PAIR = (np.array([[0.5, 0.5], [3.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 0.0]]))
MECHANISMS = [
    compiled("laplace in float32", lambda x: float(x + jax.random.laplace(_key())), (0.0, 1.0), loss=1.0),
    compiled("normal", lambda x: float(x + jax.random.normal(_key())), (0.0, 1.0), GDP(1.0), mu=1.0),
    compiled("one bit of a seed", _one_bit, (0, 1), loss=math.log(5.0), proof="0.1 against 0.5"),
    compiled("clipped gradients", _clipped, PAIR, GDP(0.5), mu=0.5),
    compiled("gradients that are not clipped", _unclipped, PAIR, GDP(0.5), mu=1.5),
    compiled("gaussian_privatizer", _privatizer, (0.0, 1.0), GDP(0.5), mu=0.5),
]
