"""Ideal Hermitian matrices with a density proportional to ``exp(temperature <M, H>)``, correctly rounded to a grid.

A sampler draws ``H`` in nearly the right coordinates and for nearly the right weights, the last step makes the law that
of ``M`` exactly, and what comes out is ``Q H Q*`` to the nearest multiples of a public step. All samplers draw one law,
so which of them does may depend on ``M``: that changes how long it takes, and no value.
"""

import math
from typing import Any

import numpy as np
from flint import acb_mat

from dpspectra.certified import ball_noise, grid, noise_on_grid
from dpspectra.certified.ball_chart import product_error
from dpspectra.certified.choice_of_sampler import chosen
from dpspectra.certified.correction import Correction
from dpspectra.certified.entropy import Source
from dpspectra.certified.fine_eigenbasis import near_enough
from dpspectra.certified.orbit_draw import Draw
from dpspectra.ground.array_types import Array, Floats

FINE = 25
"""The grid is finer than the largest eigenvalue by ``2**FINE``, unless the dimension is large."""
KNOWN = 43
"""Floats know the entries of a draw to about this many bits, less those of ``200 d**2 sqrt(rank)``."""


class Orbit:
    """The law for ``M``, all as in `Eigenbasis`, on the orbit of ``spectrum``, ``(d,)`` descending float64 numbers.

    The field is ``"real"`` or ``"complex"``; on a real orbit, which is served for projectors on lines and hyperplanes
    only, ``M`` is real. ``method`` is the name of the sampler. Raises ``ValueError`` for other real orbits.
    """

    def __init__(
        self, m: Array, temperature: float, weights: Floats, vectors: Array, spectrum: Floats, field: str
    ) -> None:
        self._basis, self._real = near_enough(m, temperature, weights, vectors, spectrum), field == "real"
        self.method, self._sampler, weights = chosen(self._basis.weights, spectrum, field)
        self._last = Correction(self._basis, weights, spectrum)
        self._size = float(np.max(np.abs(spectrum)))

    def draw(self, exponent: int, source: Source) -> Array:
        """One matrix, each of its numbers a multiple of ``2**exponent``."""
        draw = self._sampler.draw(source)
        while not self._last.accepts(draw, source):
            draw = self._sampler.draw(source)
        return self._rounded(draw, exponent)

    def _rounded(self, draw: Draw, exponent: int) -> Array:
        estimate, error = self._turned(draw)
        d = len(estimate)
        above = np.triu_indices(d), np.triu_indices(d, 1)
        parts = [estimate.real[above[0]]] + ([] if self._real else [estimate.imag[above[1]]])
        places = [np.transpose(above[part]) for part in range(len(parts))]

        def value(i: int, bits: int) -> Any:
            part, place = divmod(i, len(places[0]))
            row, column = places[part][place].tolist()
            entry = self._entry(draw, row, column, bits)
            return (entry.imag if part else entry.real) * ball_noise.exact(2) ** -exponent

        numbers = np.ldexp(np.concatenate(parts), -exponent)
        part = numbers, np.zeros(len(numbers), bool), math.ldexp(error, -exponent)
        steps = noise_on_grid.rounded([part], len(numbers), value)
        found = np.split(grid.over(steps, exponent, 1), [len(places[0])])
        h = np.zeros((d, d), dtype=estimate.dtype)
        h[above[0]] = found[0]
        if not self._real:
            h.imag[above[1]] = found[1]
        return np.where(np.tri(d, k=-1, dtype=bool), h.conj().T, h)

    def _turned(self, draw: Draw) -> tuple[Array, float]:
        """``V estimate V*``, and a bound on the distance of an entry from that of ``Q H Q*``.

        ``Q H Q*`` is within ``2 |Q - V| |H| (1 + |Q - V|)`` of ``V H V*``, spectral norms of ``H`` and ``V``, and this
        within ``|V|**2`` times the error of the draw of ``V estimate V*``; there are two products.
        """
        v, distance = self._basis.vectors, self._basis.distance
        first = v @ draw.estimate
        estimate = first @ v.conj().T
        products = product_error(v, draw.estimate) + product_error(first, v)
        near = 2 * distance * self._size + draw.error + products
        return (estimate + estimate.conj().T) * 0.5, 1.01 * (1 + distance) ** 2 * near

    def _entry(self, draw: Draw, i: int, j: int, bits: int) -> Any:
        rows = self._basis.rows([i, j]).tolist()
        column = acb_mat([[x.conjugate()] for x in rows[1]])
        return (acb_mat([rows[0]]) * draw.times(column, bits))[0, 0]


def step_exponent(spectrum: Floats) -> int:
    """Base-2 logarithm of the step for a spectrum: a function of its size, its length and its rank.

    It is so coarse that floats know nearly all entries to a small part of it.
    """
    d, rank = len(spectrum), int(np.count_nonzero(spectrum))
    errors = math.frexp(200.0 * d * d * math.sqrt(max(rank, 1)))[1]
    return grid.step_exponent(float(np.max(np.abs(spectrum))), min(FINE, KNOWN - errors))
