"""The lower bound for outputs of another kind: any matrix, matrices of rank ``k``, matrices of another spectrum.

Counting allows any output, so the explicit bound holds for all of them. Moreover an output of rank ``k`` always errs by
the tail of the spectrum, and an output with eigenvalues ``lambda`` by ``|gamma - lambda|``; the larger of the two
bounds is at least half their sum. The paper projects to the orbit first, which at most doubles an error (and can double
it), and prints the bounds for every ``epsilon``, which is false. Its second corollary invokes the theorem for one orbit
and uses it on another.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import OPEN, AtMost, Slack, Statement, Verdict
from dpspectra.lemmas.lower_bounds.explicit_bound import bound, exact_bound
from dpspectra.lemmas.lower_bounds.printed_bound import fine_net, fine_net_certificate, on_the_sphere
from dpspectra.oracle import linalg as oracle
from dpspectra.relations import Relation
from dpspectra.strategies import dimensions, epsilons, fields, rectangular, spectra, unitaries
from dpspectra.strategies.lazy import st


class Case(NamedTuple):
    """Two spectra with eigenvectors, an output that need not be Hermitian, its rank after truncation, ``epsilon``."""

    gamma: Any
    spectrum: Any
    u: Any
    v: Any
    output: Any
    k: int
    epsilon: float


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    d, field = draw(dimensions(2)), draw(fields())
    u, v = (draw(unitaries(d, field)) for _ in range(2))
    output = draw(rectangular(d, d, field)) * draw(st.sampled_from([1.0, 0.125]))
    return Case(
        draw(spectra(d)), draw(spectra(d)), u, v, output, draw(st.integers(1, d - 1)), draw(epsilons(2.0**-6, 2.0))
    )


covariance = Statement(
    labels=("MWKTV-C2.5",),
    claim=r"\operatorname{rank}\mathcal A\le k\Rightarrow\exists M\in\mathcal O_\Lambda:\Pr\big[\|M-\mathcal A(M)\|_F^2"
    r"\ge\tfrac12\rho^2(\Lambda,\varepsilon)+\tfrac12\sum_{l>k}\lambda_l^2\big]\ge\tfrac12;\qquad\|M-\hat H\|_F\le"
    r"2\|M-H\|_F\ (M\in\mathcal O_\Lambda,\ \hat H\text{ nearest to }H\text{ there})",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    uses=("MWKTV-T2.4R",),
    note="lower_bounds.md#covariance-estimation",
    examples=60,
    slack={"error of rank k": Slack(0, OPEN), "larger of two bounds": Slack(0.5, OPEN)},
)
spectrum_given = Statement(
    labels=("MWKTV-C2.6",),
    claim=r"\mathcal A\in\mathcal O_\lambda\Rightarrow\exists M\in\mathcal O_\gamma:\Pr\big[\|M-\mathcal A(M)\|_F^2\ge"
    r"\tfrac12\rho^2(\gamma,\varepsilon)+\tfrac12\sum_l(\gamma_l-\lambda_l)^2\big]\ge\tfrac12",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    uses=("MWKTV-T2.4R",),
    note="lower_bounds.md#another-spectrum",
    examples=60,
    slack={"larger of two bounds": Slack(0.5, OPEN)},
)
cases_of_the_proof = Statement(
    labels=("MWKTV-E67", "MWKTV-E68"),
    claim=r"M\in\mathcal O_\gamma,\ H\in\mathcal O_\lambda,\ \tilde M\in\mathcal O_\lambda\text{ nearest to }M:\quad"
    r"\|M-H\|_F\ge\max\{\|M-\tilde M\|_F,\ \|\tilde M-H\|_F-\|M-\tilde M\|_F\}\ge\tfrac12\|\tilde M-H\|_F",
    verdict=Verdict.PROOF_GAP,
    cases=_instances,
    note="lower_bounds.md#two-cases",
    examples=60,
)


def low_rank_bound(spectrum: Any, k: int, epsilon: float, field: str = "complex") -> float:
    """A squared error that outputs of rank ``k`` exceed with probability 1/2 or more on some matrix of the orbit."""
    return float(bound(spectrum, epsilon, field) + np.sum(np.square(spectrum[k:]))) / 2


def turned_bound(gamma: Any, spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared error that outputs with eigenvalues ``spectrum`` exceed with probability 1/2 or more.

    That is on some matrix of the orbit of ``gamma``.
    """
    return float(bound(gamma, epsilon, field) + np.sum(np.square(gamma - spectrum))) / 2


SEPARATED = 2.0**-22
"""Smallest relative gap of eigenvalues at which both arithmetics find the same nearest point of the orbit."""


def _low_rank(other: Any, k: int) -> Any:
    """The first ``k`` columns, and zeros."""
    return other * (np.arange(other.shape[1]) < k)


@covariance.fast
def low_rank_errors(spectrum: Any, _: Any, u: Any, __: Any, other: Any, k: int, epsilon: float) -> tuple[AtMost, ...]:
    m, tail = (u * spectrum) @ fast.adjoint(u), np.sum(spectrum[k:] ** 2)
    rho = bound(spectrum, epsilon)
    size = np.sum(spectrum**2)
    stated = [
        AtMost(tail, fast.frobenius_norm(m - _low_rank(other, k)) ** 2, scale=size, part="error of rank k"),
        AtMost(low_rank_bound(spectrum, k, epsilon), max(rho, tail), part="larger of two bounds"),
    ]
    values, size = fast.eigenvalues((other + fast.adjoint(other)) / 2), 1 + fast.frobenius_norm(other)
    if np.min(-np.diff(values)) > SEPARATED * size:
        nearest = fast.orbit_projection(other, spectrum)
        stated.append(
            AtMost(
                fast.frobenius_norm(m - nearest),
                2 * fast.frobenius_norm(m - other),
                scale=size,
                part="error after projection",
            )
        )
    return tuple(stated)


@covariance.oracle
def exact_low_rank_errors(
    spectrum: Any, _: Any, u: Any, __: Any, other: Any, k: int, epsilon: float
) -> tuple[AtMost, ...]:
    values, v, h = [mp.mpf(x) for x in spectrum], oracle.exact(u), oracle.exact(other)
    m, tail = v * mp.diag(values) * v.H, mp.fsum(x**2 for x in values[k:])
    rho, cut = exact_bound(values, mp.mpf(epsilon), "complex"), oracle.exact(_low_rank(other, k))
    stated = [
        AtMost(tail, oracle.inner(m - cut, m - cut), scale=mp.fsum(x**2 for x in values), part="error of rank k"),
        AtMost((rho + tail) / 2, max(rho, tail), part="larger of two bounds"),
    ]
    seen, size = oracle.eigenvalues((h + h.H) / 2), 1 + oracle.frobenius_norm(h)
    if min(a - b for a, b in itertools.pairwise(seen)) > SEPARATED * size:
        nearest = oracle.orbit_projection(h, values)
        stated.append(
            AtMost(
                oracle.frobenius_norm(m - nearest),
                2 * oracle.frobenius_norm(m - h),
                scale=size,
                part="error after projection",
            )
        )
    return tuple(stated)


@covariance.tight
def nearly_the_middle() -> list[Any]:
    """Nearly the midpoint of two opposite points of the orbit, nearer to the wrong one by as little as is allowed."""
    near = SEPARATED
    swap, one = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
    return [Case(one, one, swap, swap, np.diag([0.5 + near, 0.5 - near]), 1, 0.25)]


@spectrum_given.fast
def turned_errors(gamma: Any, spectrum: Any, u: Any, v: Any, _: Any, __: int, epsilon: float) -> tuple[AtMost, ...]:
    apart = fast.frobenius_norm((u * gamma) @ fast.adjoint(u) - (v * spectrum) @ fast.adjoint(v)) ** 2
    least = np.sum((gamma - spectrum) ** 2)
    rho = bound(gamma, epsilon)
    size = np.sum(gamma**2) + np.sum(spectrum**2)
    return (
        AtMost(least, apart, scale=size, part="distance of the spectra"),
        AtMost(turned_bound(gamma, spectrum, epsilon), max(rho, least), part="larger of two bounds"),
    )


@spectrum_given.oracle
def exact_turned_errors(
    gamma: Any, spectrum: Any, u: Any, v: Any, _: Any, __: int, epsilon: float
) -> tuple[AtMost, ...]:
    (m, values), (h, others) = _point(gamma, u), _point(spectrum, v)
    least = mp.fsum((x - y) ** 2 for x, y in zip(values, others, strict=True))
    rho = exact_bound(values, mp.mpf(epsilon), "complex")
    size = mp.fsum(x**2 for x in (*values, *others))
    return (
        AtMost(least, oracle.inner(m - h, m - h), scale=size, part="distance of the spectra"),
        AtMost((rho + least) / 2, max(rho, least), part="larger of two bounds"),
    )


def _point(spectrum: Any, u: Any) -> tuple[Any, list[Any]]:
    values, frame = [mp.mpf(x) for x in spectrum], oracle.exact(u)
    return frame * mp.diag(values) * frame.H, values


@spectrum_given.tight
def same_eigenvectors() -> list[Any]:
    """With equal eigenvectors only the eigenvalues differ, by more than ``rho``."""
    identity = np.eye(2)
    return [Case(np.array([2.0, 1.0]), np.array([5.0, 0.0]), identity, identity, identity, 1, 2.0)]


@cases_of_the_proof.fast
def two_cases(gamma: Any, spectrum: Any, u: Any, v: Any, *_: Any) -> tuple[AtMost, ...]:
    m, nearest, h = ((w * x) @ fast.adjoint(w) for w, x in ((u, gamma), (u, spectrum), (v, spectrum)))
    first, second, error = (fast.frobenius_norm(x) for x in (m - nearest, nearest - h, m - h))
    size = np.linalg.norm(gamma) + np.linalg.norm(spectrum)
    return (
        AtMost(first, error, scale=size, part="distance to the orbit"),
        AtMost(second - first, error, scale=size, part="triangle inequality"),
        AtMost(second / 2, error, scale=size, part="half the distance"),
    )


@cases_of_the_proof.oracle
def exact_two_cases(gamma: Any, spectrum: Any, u: Any, v: Any, *_: Any) -> tuple[AtMost, ...]:
    (m, values), (nearest, others), (h, others) = _point(gamma, u), _point(spectrum, u), _point(spectrum, v)
    first, second, error = (oracle.frobenius_norm(x) for x in (m - nearest, nearest - h, m - h))
    size = mp.norm(mp.matrix(values)) + mp.norm(mp.matrix(others))
    return (
        AtMost(first, error, scale=size, part="distance to the orbit"),
        AtMost(second - first, error, scale=size, part="triangle inequality"),
        AtMost(second / 2, error, scale=size, part="half the distance"),
    )


@cases_of_the_proof.tight
def the_middle() -> list[Any]:
    """Data at the midpoint of two opposite points of the other orbit."""
    swap, one = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
    return [Case(np.array([0.5, 0.5]), one, np.eye(2), swap, swap, 1, 0.25)]


covariance.as_printed(on_the_sphere)
covariance.counterexample(fine_net)
spectrum_given.as_printed(on_the_sphere)
spectrum_given.counterexample(fine_net)


@covariance.certificate
def covariance_certificate() -> dict[str, Any]:
    return fine_net_certificate(covariance.id)


@spectrum_given.certificate
def spectrum_certificate() -> dict[str, Any]:
    return fine_net_certificate(spectrum_given.id)
