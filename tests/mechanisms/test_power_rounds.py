"""The power method in certified arithmetic: on the grid, one integer more is one more, honest about what it cannot do.

Statistical tests have fixed seeds and keys; each states the probability of a false alarm.
"""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dpspectra.certified import ball_noise, calibrate, grid, noise_on_grid
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms import power, power_rounds
from dpspectra.mechanisms.claims import IDEAL_REALS
from dpspectra.mechanisms.power_plan import LargeEntryError
from tests.support.forms import MATRICES
from tests.support.helpers import entropy
from tests.support.rounds import PRIVACY, RELATIONS, WHOLE, A, D, M, release


@pytest.fixture
def seen(monkeypatch):
    """Blocks in the order in which they are made orthonormal, the first one that of the start."""
    blocks = []
    monkeypatch.setattr(power, "orthonormal", lambda y, **_: (blocks.append(y.copy()), orthonormal(y))[1])
    return blocks


def test_a_given_start_is_a_premise():
    assert power_rounds.PUBLIC_START in release(start=np.eye(D)[:, :3]).claim.assumptions


UNCERTAIN = {
    "operator": (lambda: aslinearoperator(A), {}, "got MatrixLinearOperator"),
    "single precision": (lambda: A, {"dtype": np.float32}, "got products in float32"),
    "single precision of integers": (lambda: sparse.csr_array(WHOLE), {"dtype": np.float32}, "got products in float32"),
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_where_products_would_round_the_claim_is_ideal_or_refused(name):
    matrix, options, found = UNCERTAIN[name]
    one = release(matrix(), **options)
    assert one.claim.arithmetic == "ideal"
    assert IDEAL_REALS in one.claim.assumptions
    assert "step" not in one.details
    for asked in ({"arithmetic": "certified"}, {"rng": entropy()}, {"rng": entropy(), "arithmetic": "certified"}):
        with pytest.raises(
            ValueError, match=rf"A must have entries of at most 64 bits, multiplied in float64, .*, {found}"
        ):
            release(matrix(), **options, **asked)


# ---------------------------------------------------------------- the grid and the data


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("law", PRIVACY)
def test_every_product_is_on_the_grid_of_its_round(relation, law, seen):
    one = release(RELATIONS[relation], relation=relation, delta=PRIVACY[law], rng=entropy())
    products = [*seen[1:], one.value[0]]
    for y, scale, step in zip(products, one.details["noise"], one.details["step"], strict=True):
        assert 2.0**-24 <= step / scale <= 2.0**-22
        whole = y / step
        assert np.array_equal(whole, np.rint(whole))
        assert np.any(whole % 2 == 1)
        assert not np.any(np.signbit(y) & (y == 0))


def in_parts(a):
    one = sparse.coo_array(a)
    places = tuple(np.concatenate([x, x]) for x in one.coords)
    return sparse.coo_array((np.concatenate([one.data - 1, np.ones_like(one.data)]), places), a.shape)


FORMS = {name: MATRICES[name] for name in ("lists", "Fortran order", "csr", "csc", "dask", "dask in one block")}
SHAPES = [*itertools.product(FORMS, ("integers", "floats", "rectangle", "large")), ("in parts", "integers")]
"""Forms of matrices. Parts of floats would be added up in floats."""


@pytest.mark.parametrize(("form", "matrix"), SHAPES)
@pytest.mark.parametrize("law", PRIVACY)
def test_the_form_of_the_matrix_changes_no_bit(form, matrix, law):
    a = {"integers": WHOLE, "floats": A, "rectangle": M, "large": WHOLE * 2**50 + WHOLE}[matrix]
    relation = "entry" if matrix == "rectangle" else "pair"
    shaped = in_parts(a) if form == "in parts" else FORMS[form](a)
    typed = a.astype(float) if form == "lists" else a  # a list declares no type: its neighbours hold any numbers
    want, got, like = (release(x, relation=relation, delta=PRIVACY[law], rng=entropy()) for x in (a, shaped, typed))
    for one, other in zip(got.value, want.value, strict=True):
        assert one.tobytes() == other.tobytes()
    assert (got.details, got.claim) == (want.details, like.claim)


@pytest.mark.parametrize("large", [2**40 + 2**16, 2**53, 2**60, 2**62])
@pytest.mark.parametrize("law", PRIVACY)
@pytest.mark.parametrize("form", ["array", *FORMS])
def test_an_entry_larger_by_one_moves_the_product_by_one(large, law, form):
    """The attack: in float32 the product jumped by 131072 at the first, in float64 by 2 and more from 2**53 on."""
    first = np.eye(3, 1)
    values, released = [], []
    for i in (0, 1):
        a = np.diag([large + i, 5, 3])
        shaped = a if form == "array" else FORMS[form](a)
        options = {"k": 1, "width": 1, "iterations": 1, "low_rank": False, "start": first, "rng": entropy()}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grid, "over", lambda k, *_: (released.append(k), np.zeros(len(k)))[1])
            found = release(shaped, delta=PRIVACY[law], **options)
        values.append([int(k) * Fraction(found.details["step"][0]) for k in released[-1]])
    assert values[1][0] - values[0][0] == 1
    assert values[1][1:] == values[0][1:]


@pytest.mark.parametrize("law", PRIVACY)
@pytest.mark.parametrize("fine", [24, 30, 44])
def test_floats_decide_as_balls_do(law, fine, monkeypatch):
    monkeypatch.setattr(power_rounds, "FINE", fine)
    asked, options = [], {"delta": PRIVACY[law], "iterations": 2}
    nearest = ball_noise.nearest
    monkeypatch.setattr(ball_noise, "nearest", lambda value: (asked.append(0), nearest(value))[1])
    fast = [release(rng=entropy(i), **options).value[0] for i in range(8)]
    few = len(asked)
    monkeypatch.setattr(noise_on_grid, "SLACK", 1.0)
    slow = [release(rng=entropy(i), **options).value[0] for i in range(8)]
    assert np.array_equal(fast, slow)
    assert len(asked) - few == 8 * 3 * D * 3
    assert few < len(asked) - few or fine == 44


def test_without_much_noise_it_finds_the_top_eigenvectors():
    top = np.linalg.eigh(A)[1][:, -2:]
    x = release(k=2, width=4, epsilon=1e6, iterations=150).value[1]
    assert np.linalg.norm(top - x @ (x.T @ top)) < 1e-3


# ---------------------------------------------------------------- scales of noise


def cut(x):
    """Entries as multiples of ``2**-20``, toward zero, in rational numbers."""
    return [[Fraction(math.trunc(Fraction(v) * 2**20), 2**20) for v in row] for row in x.tolist()]


def moved_by_pairs(x, l1):
    """The largest move of the product, squared or in l1, when a pair of entries changes by 1; each pair is tried."""
    d, sizes = len(x), []
    for i, j in itertools.combinations_with_replacement(range(d), 2):
        rows = [x[j], x[i]] if i != j else [x[i]]
        sizes.append(sum(abs(v) if l1 else v * v for row in rows for v in row))
    return max(sizes) ** 2 if l1 else max(sizes)


@pytest.mark.parametrize("matrix", ["floats", "integers", "rectangle"])
@pytest.mark.parametrize("law", PRIVACY)
def test_noise_is_that_of_the_worst_pair_of_the_blocks_as_they_are_multiplied(matrix, law, seen):
    a, l1 = {"floats": A, "integers": WHOLE, "rectangle": M}[matrix], law == "laplace"
    one = release(a, relation="entry" if matrix == "rectangle" else "pair", delta=PRIVACY[law], rng=entropy())
    rounds = 4
    for y, scale in zip(seen, one.details["noise"], strict=True):
        square = moved_by_pairs(cut(orthonormal(y)), l1)
        if l1:
            need, have = rounds**2 * square, (Fraction(scale) * 1) ** 2
        else:
            need, have = rounds * square, (Fraction(scale) * Fraction(one.claim.gdp_mu)) ** 2
        assert need <= have <= need * (1 + Fraction(1, 2**48))


@pytest.mark.parametrize("relation", ["spectral", "rank_one"])
@pytest.mark.parametrize("law", PRIVACY)
@pytest.mark.parametrize("whole", [False, True])
def test_noise_covers_rounding_in_every_entry_and_none_of_integers(relation, law, whole, seen):
    """Against norms of the blocks as they are multiplied; one unit of a matrix of order 12 is ``2**-20``."""
    l1 = law == "laplace"
    one = release(WHOLE if whole else A, relation=relation, delta=PRIVACY[law], rng=entropy())
    for y, scale in zip(seen, one.details["noise"], strict=True):
        x = cut(orthonormal(y))
        columns = list(zip(*x, strict=True))
        inner = [[sum(u * v for u, v in zip(p, q, strict=True)) for q in columns] for p in columns]
        norm = float(max(sum(map(abs, row)) for row in inner)) ** 0.5
        length = float(sum(inner[i][i] for i in range(3))) ** 0.5
        size = (length if relation == "spectral" else norm) * (math.sqrt(D * 3) if l1 else 1)
        excess = 0 if whole else D * 2.0**-20 * (float(sum(abs(v) for row in x for v in row)) if l1 else norm)
        rounds = 4 if l1 else 2 / one.claim.gdp_mu
        assert scale == pytest.approx(rounds * (size + excess), rel=1e-13)
        assert scale >= rounds * np.linalg.norm(np.array(x, float)) if relation == "spectral" else True


@pytest.mark.parametrize("scale", ["max", "doubling", "fixed"])
@pytest.mark.parametrize("law", PRIVACY)
def test_other_scales_go_by_the_largest_entry(scale, law, seen):
    bound = 0.999 if scale == "fixed" else None
    one = release(scale=scale, entry_bound=bound, delta=PRIVACY[law], rng=entropy())
    largest = 0.0
    for y, found in zip(seen, one.details["noise"], strict=True):
        x = orthonormal(y)
        largest = max(largest, float(np.max(np.abs(x))))
        entry = {
            "max": max(abs(v) for row in cut(x) for v in row),
            "doubling": next(Fraction(2) ** e for e in range(-9, 2) if 2.0**e >= largest),
            "fixed": Fraction(0.999),
        }[scale]
        if law == "laplace":
            assert (Fraction(found)) ** 2 >= (4 * 6 * entry) ** 2 >= Fraction(found) ** 2 * (1 - Fraction(1, 2**48))
        else:
            square = (Fraction(found) * Fraction(one.claim.gdp_mu)) ** 2
            assert square >= 4 * 6 * entry**2 >= square * (1 - Fraction(1, 2**48))
    assert one.details["largest_entry"] == largest
    if scale == "fixed":
        with pytest.raises(LargeEntryError, match=r"above the bound 0\.01"):
            release(scale=scale, entry_bound=0.01, rng=entropy())


def test_doubling_noise_never_falls_nor_below_what_the_block_needs():
    """From axes, where it is 1, the largest entry falls; a state with smaller entries than it has is not believed."""
    options = {"scale": "doubling", "iterations": 2, "low_rank": False, "relation": "pair"}
    states, d = [], 200
    one = release(np.zeros((d, d)), start=np.eye(d)[:, :3], checkpoint=states.append, **options)
    largest = np.max(np.abs(states[0].iterate))
    assert largest < 0.5
    assert one.details["noise"][0] == one.details["noise"][1]
    other = release(np.zeros((d, d)), resume=replace(states[0], largest_entry=2.0**-9), **options)
    assert other.details["noise"][1] == one.details["noise"][0] * 2.0 ** math.ceil(math.log2(largest))


def test_claims_are_rounded_upward():
    one = release(epsilon=1e-6, delta=1e-12, rng=entropy())
    assert calibrate.profile_at_most(1e-6, one.claim.gdp_mu, 1e-12)
