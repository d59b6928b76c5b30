"""Audit the mechanisms of one library, from inside and from outside, in the environment that this file runs in.

    PYTHONPATH=reference python -m bench.foreign LIBRARY [--quick] [--seed 0]

`bench/libraries.py` calls it in an environment for each library, and reads the lines of JSON that it prints: one for
each mechanism at its claim, and one at half of it. `bench/library/LIBRARY.py` holds the mechanisms.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from scipy.special import ndtr

from dpspectra.audit import GDP, ZCDP, ApproxDP, CurveClaim, PureDP, Renyi, audit, inside

FOLDER = Path(__file__).parent / "library"
PYTHON, COMPILED = "python", "compiled"
ONE = PureDP(1.0)
LITTLE = 1e-6
"""Relative error of numbers that audits from inside leave to rounding."""


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, its pair and claim, and what is known of its loss on this pair.

    ``loss`` is the exact loss, ``mu`` the exact distance of two normal laws with one spread; where neither is known,
    ``within`` says whether the claim is true. ``proof`` says why in one line, or names the public thread.
    """

    name: str
    run: Callable[..., Any]
    pair: tuple[Any, Any]
    claim: CurveClaim = ONE
    loss: float | None = None
    mu: float | None = None
    within: bool | None = None
    proof: str = ""
    noise: str = PYTHON
    """Whether noise is drawn in Python, by numpy or by torch, or in compiled code that is not followed."""

    def true(self, claim: CurveClaim) -> bool | None:
        """Whether the claim, or a smaller one of its kind, is true on this pair; None if that is not known."""
        if self.mu is not None:
            return _of_normal(self.mu, claim)
        delta = getattr(claim, "delta", 0.0)
        if self.loss is not None and isinstance(claim, (PureDP, ApproxDP)):
            if self.loss <= claim.epsilon * (1 + LITTLE):
                return True
            if delta == 0:
                return False
        return self.within if claim == self.claim or self.within is False else None


def _of_normal(mu: float, claim: CurveClaim) -> bool | None:
    if isinstance(claim, GDP):
        return mu <= claim.mu * (1 + LITTLE)
    if isinstance(claim, PureDP):
        return mu == 0
    if isinstance(claim, ZCDP):
        return mu**2 / 2 <= claim.rho * (1 + LITTLE)
    if isinstance(claim, Renyi):
        return claim.alpha * mu**2 / 2 <= claim.epsilon * (1 + LITTLE)
    if isinstance(claim, ApproxDP):
        e = claim.epsilon
        delta = ndtr(mu / 2 - e / mu) - math.exp(e) * ndtr(-mu / 2 - e / mu)
        return bool(delta <= claim.delta * (1 + LITTLE))
    return None


def half(claim: CurveClaim) -> CurveClaim:
    """Return the same kind of claim at half its parameter."""
    return replace(claim, **{claim.parameter: claim.value / 2})  # type: ignore[type-var]


def load(library: str) -> ModuleType:
    """Return the module of a library's mechanisms, which no library of that name hides."""
    spec = importlib.util.spec_from_file_location(f"mechanisms_of_{library}", FOLDER / f"{library}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _inside(case: Mechanism, claim: CurveClaim, seconds: float, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        found = inside(case.run, case.pair, claim, seconds=seconds, rng=seed)
    except Exception as problem:
        return {"inside": "raised", "seconds": time.perf_counter() - start, "reasons": [f"{problem!r:.300}"]}
    says = {"inside": found.verdict, "seconds": time.perf_counter() - start, "line": _line(found)}
    says |= {"loss": found.loss, "loss_bound": found.bound, "mu": found.mu, "how": found.how}
    return says | {"reasons": found.reasons, "findings": found.findings, "report": str(found)}


def _line(found: Any) -> str:
    named = [*(call.place for call in found.calls), *found.named]
    return named[0].split(" ")[0] if named else ""


def _outside(case: Mechanism, claim: CurveClaim, draws: int, seconds: float, seed: int) -> dict[str, Any]:
    try:
        found = audit(case.run, case.pair, claim, draws=draws, seconds=seconds, rng=seed)
    except Exception as problem:
        return {"outside": "raised", "draws": 0, "bound": 0.0, "witness": f"{problem!r:.300}"}
    return {"outside": found.verdict, "draws": found.draws, "bound": found.bound, "witness": found.witness}


def wrong(case: Mechanism, claim: CurveClaim, row: dict[str, Any]) -> list[str]:
    """Return what a row says that is not so."""
    true, says = case.true(claim), []
    if row["inside"] == "explained":
        if true is False:
            says.append("explained, and the claim is false")
        if case.loss is not None and isinstance(claim, PureDP) and row["loss_bound"] < case.loss * (1 - LITTLE):
            says.append(f"bounds the loss by {row['loss_bound']:.9g}, which is {case.loss:.9g}")
        if case.mu is not None and row["mu"] < case.mu * (1 - LITTLE):
            says.append(f"states mu {row['mu']:.9g}, which is {case.mu:.9g}")
    if row["inside"] == "explained" and row["outside"] == "refuted":
        says.append("explained from inside, and refuted from outside")
    sides = [side for side in ("inside", "outside") if true and row[side] == "refuted"]
    return says + [f"refuted from {side}, and the claim is true" for side in sides]


def rows(library: str, *, quick: bool, seed: int, names: str = "") -> Iterator[dict[str, Any]]:
    """Yield a row for each mechanism at its claim and at half of it."""
    found = load(library).MECHANISMS
    inside(lambda x, rng: x + rng.laplace(), (0.0, 1.0), 1.0)  # imports what audits need, which takes seconds
    for case in found:
        if names not in case.name:
            continue
        for claim in dict.fromkeys((case.claim, half(case.claim))):
            row = {"library": library, "mechanism": case.name, "noise": case.noise, "claim": str(claim)}
            row |= {"half": claim != case.claim, "true": case.true(claim), "exact": case.loss, "proof": case.proof}
            row |= _inside(case, claim, 5.0 if quick else 20.0, seed)
            row |= _outside(case, claim, 2_000 if quick else 20_000, 2.0 if quick else 4.0, seed)
            yield row | {"wrong": wrong(case, claim, row)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--mechanism", default="", help="those with this text in their name")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library may print what it likes
    for row in rows(args.library, quick=args.quick, seed=args.seed, names=args.mechanism):
        print(json.dumps(row), file=lines, flush=True)


if __name__ == "__main__":
    main()
