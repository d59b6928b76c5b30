"""The command ``release``: a data file in, a private statistic and its claim out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import __version__, checks
from dpspectra.mechanisms import (
    Release,
    gaussian_covariance,
    laplace_covariance,
    private_low_rank,
    private_pca,
    private_spectrum,
    symmetric_wishart_covariance,
    wishart_covariance,
)
from dpspectra.report.files import check_output, claim_path, read_rows, write_release


def _scaled_gram(x: NDArray[Any], bound: float) -> NDArray[Any]:
    return x.T @ x / bound**2


MECHANISMS: dict[str, tuple[tuple[str, ...], Callable[..., Release[Any]]]] = {
    "laplace_covariance": ((), lambda x, e, bound: laplace_covariance(x, e, norm_bound=bound)),
    "gaussian_covariance": (
        ("delta",),
        lambda x, e, bound, delta: gaussian_covariance(x, e, delta, norm_bound=bound),
    ),
    "symmetric_wishart_covariance": ((), lambda x, e, bound: symmetric_wishart_covariance(x, e, norm_bound=bound)),
    "wishart_covariance": (
        ("delta",),
        lambda x, e, bound, delta: wishart_covariance(x, e, delta, norm_bound=bound),
    ),
    "private_pca": (("k",), lambda x, e, bound, k: private_pca(x, k, e, norm_bound=bound)),
    "private_spectrum": (("k",), lambda x, e, bound, k: private_spectrum(_scaled_gram(x, bound), k, e)),
    "private_low_rank": (("k",), lambda x, e, bound, k: private_low_rank(_scaled_gram(x, bound), k, e)),
}
"""What each mechanism needs beside the rows, epsilon and the norm bound; how it is called. The last two release
statistics of ``X'X / norm_bound^2``."""


def release_file(args: argparse.Namespace) -> str:
    """Check everything, read, release, write; return what to print. Raises ``ValueError`` or ``OSError``."""
    needed, mechanism = MECHANISMS[checks.choice(args.mechanism, "mechanism", MECHANISMS)]
    options = {name: getattr(args, name) for name in ("delta", "k") if getattr(args, name) is not None}
    if missing := [f"--{name}" for name in needed if name not in options]:
        raise ValueError(f"{args.mechanism} needs {' and '.join(missing)}")
    if extra := [f"--{name}" for name in options if name not in needed]:
        raise ValueError(f"{args.mechanism} takes no {' or '.join(extra)}")
    checks.positive(args.epsilon, "epsilon")
    bound = checks.positive(args.norm_bound, "norm_bound")
    check_output(args.out)
    rows = read_rows(args.data)
    rows = checks.rows(clipped(rows, bound) if args.clip else rows, bound, "the data")
    release = mechanism(rows, args.epsilon, bound, **options)
    claim = {
        "mechanism": args.mechanism,
        **release.claim.asdict(),
        "norm_bound": bound,
        "rows_clipped": args.clip,
        "shape": list(np.shape(release.value)),
        "version": __version__,
    }
    write_release(args.out, np.asarray(release.value), claim)
    if args.json:
        return json.dumps({"release": str(args.out), "claim_file": str(claim_path(args.out)), "claim": claim}, indent=1)
    delta = f", delta {release.claim.delta:g}" if release.claim.delta else ""
    return (
        f"{args.out}: shape {claim['shape']}, epsilon {release.claim.epsilon:g}{delta}, "
        f"neighbours: {release.claim.relation}; claim in {claim_path(args.out)}"
    )


def clipped(rows: NDArray[Any], bound: float) -> NDArray[Any]:
    """Scale rows longer than ``bound`` down to it (Euclidean projection on the ball)."""
    x = np.asarray(rows)
    if x.ndim != 2 or x.dtype.kind not in "biuf" or not np.all(np.isfinite(x)):
        return x  # the checks that follow name what is wrong
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    return x * (bound / np.maximum(norms, bound))
