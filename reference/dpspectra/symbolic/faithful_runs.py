"""Checks that a run was followed faithfully: plain runs with given draws, and witnesses on the other data set."""

import math
import struct
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.linalg import lsqr

from dpspectra.ground.array_types import Flags, Floats
from dpspectra.symbolic.canonical_output import fits, is_noise
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.observed_constraints import System, Unsolved, of_roots, system
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.origins import Origin
from dpspectra.symbolic.tape import POINT, REPLAY, Block, Tape

OF_NOISE = 1e-9
"""Difference of a number that holds noise, in scales of its noise, that is rounding."""
OF_SINGLE = 1e-4
"""Difference that is rounding where noise is kept in single precision."""
OF_NUMBERS = 1e-11
"""Relative difference of a plain number that is rounding where nothing was looked at before the output."""
AFTER_LOOKS = 1e-6
"""Relative difference of a plain number that is rounding where noise was looked at before."""
MOST_NUMBERS = 2_000_000
"""Numbers that are drawn for that at once."""
LED = 30
"""Draws that are tried before those that take given decisions are computed."""
TIE = 1e-9
"""Slack of decisions about whole numbers, which may lie at an edge."""
NEAR, FARTHEST = 30.0, 1e9
"""Size of draws among which some are looked for first, and beyond which none is."""
SMALLEST = 2.0**-53
"""Distance of a draw from the ends of what it can be."""
TRIES = 20_000
"""Draws among which one is looked for that gives the outcomes of decisions."""


def faithful(run: Run, leaves: dict[str, Any], y: Floats | None = None) -> str | None:
    """Where a plain run with the same draws gives another output, ``None`` if it does not."""
    values = run.values if y is None else y
    if list(leaves) != list(run.leaves):
        return "the parts of the output"
    number = 0
    hidden = any(e.kind != POINT for e in run.hidden)
    scales = np.zeros(0) if run.rows is None else _scales(run)
    for path, leaf in run.leaves.items():
        if is_noise(leaf):
            found = value_of(leaves[path])
            slack = _slack(run.tape, float(scales[number]), float(values[number]))
            value = float(values[number])  # a function of noise may be infinite, or no number
            same = (
                fits(leaf, leaves[path])
                and found is not None
                and (found == value or abs(found - value) <= slack or (found != found and value != value))
            )
            number += 1
        else:
            same = leaf == leaves[path] or is_near(leaf, leaves[path], AFTER_LOOKS if hidden else OF_NUMBERS)
        if not same:
            return path
    return None


def _slack(tape: Tape, scale: float, value: float) -> float:
    """Return the difference of a number that holds noise, of this scale, that is rounding."""
    if tape.single:
        return OF_SINGLE * scale + 1e3 * float(np.spacing(np.float32(abs(value))))
    return OF_NOISE * scale + 1e3 * float(np.spacing(abs(value)))


def _scales(run: Run) -> Floats:
    assert run.rows is not None
    return np.sqrt(np.sum(np.square(run.rows.coefficient), axis=0))


def value_of(leaf: Any) -> float | None:
    """Return the number that a leaf holds."""
    if isinstance(leaf, tuple) and leaf[0] == "float":
        return struct.unpack("d", leaf[1])[0]
    if isinstance(leaf, tuple) and leaf[0] == "int":
        return float(leaf[1])
    if isinstance(leaf, tuple) and isinstance(leaf[1], bytes) and leaf[0].startswith(("int", "uint", "float")):
        return float(np.frombuffer(leaf[1], dtype=leaf[0])[0])
    return None


def is_near(leaf: Any, other: Any, tolerance: float) -> bool:
    """Whether two plain leaves are alike up to rounding."""
    if isinstance(leaf, tuple) and leaf[0] == "array" and isinstance(other, tuple) and other[0] == "array":
        return bool(leaf[2] == other[2])  # noise of whole numbers is kept as floats
    a, b = value_of(leaf), value_of(other)
    if a is None or b is None:
        return bool(leaf == other)
    return a == b or (a != a and b != b) or abs(a - b) <= tolerance * max(abs(a), abs(b), 1.0)


def with_draws(tape: Tape, omega: Floats) -> Tape:
    """Return a tape that hands out given draws, in the order of those of a record, and the outcomes of its points."""
    sizes = [(name, np.size(values)) for name, values in tape.raw]
    blocks = [b for b in tape.blocks if b.computed is None]
    raw: list[tuple[str, Any]] = []
    k = 0
    outcomes = iter([e.outcome for e in tape.events if e.kind == POINT])
    for name, _ in sizes:
        block = blocks[k] if k < len(blocks) else None
        if block is not None and block.law.name == name:
            raw.append((name, omega[block.start : block.start + len(block.values)]))
            k += 1
        else:
            raw.append((name, next(outcomes)))
    return Tape(past=Tape(raw=raw))


def solved(tape: Tape, y: Floats, rng: np.random.Generator, base: Floats | None = None) -> Floats:
    """Draws, maybe close to some, that give the outcomes of a tape and these values. Raises `Unsolved` if none do."""
    one = system(tape, y, plain=True)
    tries = TRIES if len(one.mu) > one.equations and not any(b.computed is not None for b in tape.blocks) else 1
    tries = min(tries, max(1, MOST_NUMBERS // max(tape.size, 1)))
    bases = np.concatenate([_fresh(b, rng, tries) for b in tape.blocks]) if tape.blocks else np.zeros((0, tries))
    if base is not None:  # computed draws follow from values, or from the others
        bases[:, 0] = np.where(_are_computed(tape), 0.0, base)
    if _adds_whole_numbers(one):
        bases = _whole_first(one, bases[:, :1])
    z = _projected(one, bases) if one.equations else bases
    z = _with_roots(tape, z, set(one.B[: one.equations].indices.tolist())) if tries == 1 else z
    holds = np.all(one.B[one.equations :] @ z + one.mu[one.equations :, None] > 0, axis=0)
    if not np.any(holds):
        raise Unsolved("no draws were found that give the decisions of a witness")
    found = np.ascontiguousarray(z[:, int(np.argmax(holds))])
    if one.equations:
        left = one.B[: one.equations] @ found + one.mu[: one.equations] - y
        if np.max(np.abs(left)) > 1e-6 * (1 + np.max(np.abs(y))):
            raise Unsolved("no draws were found that give the values of a witness")
    return found


def _are_computed(tape: Tape) -> Flags:
    return np.concatenate([np.full(len(b.values), b.computed is not None) for b in tape.blocks])


def _adds_whole_numbers(one: System) -> bool:
    """Whether a value holds a draw of whole numbers, and others."""
    values = one.B[: one.equations]
    added = np.repeat(np.diff(values.indptr) > 1, np.diff(values.indptr))
    return any(one.law(int(j)).discrete for j in np.unique(values.indices[added]))


def _whole_first(one: System, z: Floats) -> Floats:
    """Return draws within what they can be that give all values and decisions, up to a small error of the values."""
    used, n = np.unique(one.B.indices), one.equations
    B, laws = one.B[:, used].toarray(), [one.law(int(j)) for j in used]
    found = _within_box(
        one.mu[n:], B[n:], laws, FARTHEST, LinearConstraint(B[:n], one.y - one.mu[:n], one.y - one.mu[:n])
    )
    if found is None:
        raise Unsolved("no draws were found that give the values of a witness")
    z[used, 0] = found
    return z


def led(run: Run, rng: np.random.Generator) -> Floats:
    """Draws that take all decisions of a run; `Unsolved` if none are found."""
    tape = Tape(blocks=run.tape.blocks, events=run.hidden, size=run.tape.size)
    one = system(tape, plain=True)
    for _ in range(LED):
        z = omega_of(tape, rng)
        if not len(one.mu) or np.all(one.mu + one.B @ z > 0):
            return z
    mu, B = of_roots(one.mu, one.B, tape.blocks, 0)
    used = np.unique(B.indices)
    z[used] = _within(mu, B[:, used].toarray(), [one.law(int(j)) for j in used])
    _go_back(tape.blocks, z, set(used.tolist()))
    for block in tape.blocks:
        compute(block, z)
    if not np.all(one.mu + one.B @ z > (-TIE if any(b.law.discrete for b in tape.blocks) else 0.0)):
        raise Unsolved("no draws were found that take its decisions")
    return z


def _go_back(blocks: list[Block], z: Floats, known: set[int]) -> None:
    """Put in the roots of computed draws that are known. Raises `Unsolved` if one has no inverse."""
    for block in reversed(blocks):
        if block.computed is None or block.start not in known:
            continue
        if not isinstance(block.computed, Origin):
            raise Unsolved("no draws were found that take its decisions")
        z[list(block.computed.roots)] = block.computed.backward(float(z[block.start]))
        known.update(block.computed.roots)
    for block in blocks:
        if block.computed is None and not block.law.discrete:  # its ends are never drawn, and may be no arguments
            mine, (low, high) = slice(block.start, block.start + len(block.values)), block.law.support
            z[mine] = np.clip(z[mine], low + SMALLEST, high - SMALLEST)


def _within(c: Floats, C: Floats, laws: list[Law]) -> Floats:
    """Draws within what they can be that make all ``c + C z`` positive, by a wide margin."""
    if np.all(np.count_nonzero(C, axis=1) == 1):
        return np.array([_between(c, C[:, j], law) for j, law in enumerate(laws)])
    for farthest in (NEAR, FARTHEST):
        found = _within_box(c, C, laws, farthest)
        if found is not None:
            return found
    raise Unsolved("no draws were found that take its decisions")


def _within_box(
    c: Floats, C: Floats, laws: list[Law], farthest: float, values: LinearConstraint | None = None
) -> Floats | None:
    """Return such draws of at most this size, that give these values, too; ``None`` if there are none."""
    norms = np.linalg.norm(C, axis=1)
    norms[norms == 0] = 1.0
    ends = np.array([law.support for law in laws])
    n = len(laws)
    # Variables: the draws, and the margin, which is as large as possible, up to 1.
    rows = [LinearConstraint(np.column_stack([C / norms[:, None], -np.ones(len(c))]), -c / norms, np.inf)]
    if values is not None:
        rows.append(LinearConstraint(np.column_stack([values.A, np.zeros(len(values.A))]), values.lb, values.ub))
    bounds = Bounds(np.append(np.maximum(ends[:, 0], -farthest), 0.0), np.append(np.minimum(ends[:, 1], farthest), 1.0))
    whole = np.append([float(law.discrete) for law in laws], 0.0)
    found = milp(np.append(np.zeros(n), -1.0), constraints=rows, bounds=bounds, integrality=whole)
    return None if found.x is None else np.where(whole[:n] > 0, np.round(found.x[:n]), found.x[:n])


def _between(c: Floats, factors: Floats, law: Law) -> float:
    """Return a draw that makes all of its ``c + factor z`` positive."""
    low, high = law.support
    for a, f in zip(c[factors != 0], factors[factors != 0], strict=True):
        low, high = (max(low, -a / f), high) if f > 0 else (low, min(high, -a / f))
    if law.discrete:
        return float(min(np.ceil(low), high) if low > -math.inf else np.floor(high))
    low, high = max(low, min(high, FARTHEST) - 2), min(high, max(low, -FARTHEST) + 2)
    return low + (high - low) / 2


def omega_of(tape: Tape, rng: np.random.Generator) -> Floats:
    """Fresh draws for a tape."""
    omega = np.zeros(tape.size)
    for block in tape.blocks:
        if block.computed is None:
            n = len(block.values)
            omega[block.start : block.start + n] = np.asarray(block.law.sample(rng, n), dtype=float).reshape(n)
        compute(block, omega)
    return omega


def compute(block: Block, omega: Floats) -> None:
    """Put in what is computed from other draws."""
    if block.computed is not None:
        mine = slice(block.start, block.start + len(block.values))
        omega[mine] = block.computed.forward(*omega[list(block.computed.roots)])


def _fresh(block: Any, rng: np.random.Generator, count: int) -> Floats:
    """Draws of a block, one column a try."""
    n = len(block.values)
    if block.computed is not None:
        return np.zeros((n, count))
    return np.asarray(block.law.sample(rng, n * count), dtype=float).reshape(n, count)


def _projected(one: System, bases: Floats) -> Floats:
    """Draws closest to given ones that solve the equations; whole numbers that are added to others stay as they are."""
    B, right = one.B[: one.equations], one.y - one.mu[: one.equations]
    residual = right[:, None] - B @ bases
    if _adds_whole_numbers(one):
        B = B * np.array([not one.law(j).discrete for j in range(B.shape[1])])
    if max(B.shape) <= 600:
        return bases + np.linalg.lstsq(B.toarray(), residual, rcond=1e-11)[0]
    return bases[:, :1] + lsqr(B, residual[:, 0], atol=1e-14, btol=1e-14)[0][:, None]


def _with_roots(tape: Tape, z: Floats, used: set[int]) -> Floats:
    """Roots of the computed draws that equations determine."""
    z = z.copy()
    for block in reversed(tape.blocks):
        if block.computed is not None and (block.start in used or z[block.start, 0] != 0):
            z[list(block.computed.roots), 0] = block.computed.backward(float(z[block.start, 0]))
    return z


__all__ = ["REPLAY", "faithful", "led", "omega_of", "solved", "with_draws"]
