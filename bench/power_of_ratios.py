"""Is a Renyi divergence refuted that Gaussian noise exceeds by a fifth, and what does the curve it implies show?

    python -m bench.power_of_ratios [--draws 100000] [--seeds 10] [--times 1.2] [--risk 0.001] [--sound]

Each row is a claim on ``N(0, 1)`` and ``N(mu, 1)``, whose truth is so many times what is claimed: `Renyi` of an order,
or `ZCDP`. It counts the audits that refute, with bets on likelihood ratios and with the curve alone, which is the same
claim as a `Profile`. Exits with 1 if fewer than nine of ten refute in a row that is promised; with ``--sound``, where
the truth is what is claimed, if any does.
"""

import argparse
import math
import sys
from typing import Any, NamedTuple

import numpy as np

from dpspectra.audit import ZCDP, CurveClaim, Profile, Renyi, audit


class Row(NamedTuple):
    """A claim: its order, or ``None`` for all orders; the distance of the means; whether a refutation is promised."""

    order: float | None
    mu: float
    promised: bool

    def claim(self, times: float) -> CurveClaim:
        """Return the claim that the truth is so many times as large as."""
        if self.order is None:
            return ZCDP(self.mu**2 / 2 / times)
        return Renyi(self.order, self.order * self.mu**2 / 2 / times)

    def noisy(self, x: float, size: int, rng: Any) -> Any:
        """Add noise to a number."""
        return self.mu * x + rng.normal(size=size)


ROWS = [
    Row(2.0, 1.0, True),
    Row(2.0, 0.5, True),
    Row(None, 1.0, True),
    Row(4.0, 0.5, False),
    Row(4.0, 1.0, False),
    Row(4.0, 0.25, False),
    Row(8.0, 0.25, False),
    Row(8.0, 1.0, False),
]
"""Rows; those of higher orders need more draws: the outputs that make up their divergences are rarer."""


def draws_until(row: Row, claim: CurveClaim, seed: int, draws: int, risk: float) -> float:
    """Draws until an audit refutes, infinite if it does not."""
    options: dict[str, Any] = {"draws": draws, "seconds": 3600.0, "independent": True, "confidence": 1 - risk}
    result = audit(row.noisy, (0.0, 1.0), claim, rng=seed, **options)
    return result.draws if result.violated else math.inf


def measured(row: Row, times: float, seeds: int, draws: int, risk: float) -> tuple[list[float], list[float]]:
    """Draws until each audit refutes, with bets on ratios and with the curve alone."""
    claim = row.claim(times)
    alone = Profile(claim.points(claim.value))
    with_ratios, curve = ([draws_until(row, c, s, draws, risk) for s in range(seeds)] for c in (claim, alone))
    return with_ratios, curve


def main(argv: list[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--times", type=float, default=1.2)
    parser.add_argument("--risk", type=float, default=0.001)
    parser.add_argument("--sound", action="store_true")
    args = parser.parse_args(argv)
    wrong = []
    for row in ROWS:
        found = measured(row, 1.0 if args.sound else args.times, args.seeds, args.draws, args.risk)
        ratio, curve = (f"{sum(map(math.isfinite, f)):>3}/{args.seeds} {np.median(f):>8.0f} draws" for f in found)
        title = "zCDP" if row.order is None else f"order {row.order:g}"
        print(f"{title:10} mu {row.mu:<5g} ratios {ratio}   the curve alone {curve}", flush=True)
        share = sum(map(math.isfinite, found[0])) / args.seeds
        wrong += [row] if (share > 0 if args.sound else row.promised and share < 0.9) else []
    print(f"not as promised: {wrong or 'nothing'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
