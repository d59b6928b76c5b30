"""The main job end to end on real data: release, compare with the guarantee, verify the ledger, audit, report."""

import importlib
import json
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit import audit
from dpspectra.audit.draws_for_picture import sampled
from dpspectra.commands.options import DemoRequest
from dpspectra.formulas import lower_bound_any_epsilon, lower_bound_uniform
from dpspectra.ground import checks, extras
from dpspectra.ground.progress import progress
from dpspectra.ledger import Report, labels, verify
from dpspectra.ledger.papers import WIDTH
from dpspectra.ledger.views import summary
from dpspectra.matrices.prepared_rows import unit_rows
from dpspectra.mechanisms import (
    Release,
    gaussian_covariance,
    laplace_covariance,
    private_low_rank,
    private_pca,
    private_spectrum,
    symmetric_wishart_covariance,
)
from dpspectra.report import command_output
from dpspectra.report.demo_findings import Audit, Directions, Measured, TableRow, in_short
from dpspectra.report.demo_page import page
from dpspectra.report.files import check_outputs, write_text

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
DELTA = 1e-6
RANK = 3
HOW = {"": None, ", shrunk": "shrink"}
"""A release as it is, which has a guarantee; and the one with its noise shrunk, which has a smaller error."""
DRAWS = 5
"""Releases by each mechanism at each epsilon."""
INDENT = 14
"""Column at which the sentences of the last screen begin."""
JOBS = 2
"""Processes that verify the ledger."""
EXAMPLES = 1
"""Cases per statement in the demonstration besides the tight instances; ``dpspectra verify`` tries more."""


def digits() -> NDArray[np.float64]:
    """Scikit-learn's handwritten digits, ``(1797, 64)``, each divided by its own norm.

    Neighbours stay neighbours, and for leading directions no bound on norms is better (DPS-UNITROWS). Raises
    ``ImportError`` naming the extra where scikit-learn is missing.
    """
    datasets = extras.load("sklearn.datasets", "sklearn", "handwritten digits")
    return unit_rows(np.asarray(datasets.load_digits().data, dtype=float))


def releases(x: NDArray[Any], rng: np.random.Generator) -> list[TableRow]:
    """Release covariance, spectrum, leading directions and a low-rank approximation at every epsilon, `DRAWS` times."""
    gram, n = x.T @ x, len(x)
    top = np.linalg.eigvalsh(gram)[::-1] / n
    size = float(np.linalg.norm(gram)) / n

    def covariance(
        mechanism: Callable[..., Release[Any]], *delta: float, denoise: str | None = None
    ) -> Callable[[float], Measured]:
        def draw(epsilon: float) -> Measured:
            release = mechanism(x, epsilon, *delta, denoise=denoise, rng=rng)
            return _draw(release, float(np.linalg.norm(release.value - gram / n)))

        return draw

    def spectrum(epsilon: float) -> Measured:
        release = private_spectrum(x, RANK, epsilon, rng=rng)
        return _draw(release, float(np.max(np.abs(release.value - top[:RANK]))))

    def directions(k: int) -> Callable[[float], Measured]:
        def draw(epsilon: float) -> Measured:
            release = private_pca(x, k, epsilon, center="none", rng=rng)
            return _draw(release, float(np.sum(top[:k]) - np.trace(release.value.T @ gram @ release.value) / n))

        return draw

    trials: list[tuple[str, str, float, Callable[[float], Measured]]] = [
        *(
            (f"{name}{how}", "Frobenius error", size, covariance(mechanism, *delta, denoise=denoise))
            for name, mechanism, delta in (
                ("symmetric_wishart_covariance", symmetric_wishart_covariance, ()),
                ("gaussian_covariance", gaussian_covariance, (DELTA,)),
            )
            for how, denoise in HOW.items()
        ),
        ("private_spectrum", "largest error of an eigenvalue", float(top[0]), spectrum),
        *(("private_pca", f"variance lost, k = {k}", float(np.sum(top[:k])), directions(k)) for k in (1, RANK)),
        *(
            (f"private_low_rank{how}", f"Frobenius error at rank {RANK}", size, partial(low_rank, x, rng, denoise))
            for how, denoise in HOW.items()
        ),
    ]
    rows = []
    with progress(total=len(trials) * len(EPSILONS), description="release") as bar:
        for mechanism, error_of, zero, draw in trials:
            for epsilon in EPSILONS:
                rows.append(TableRow.of(mechanism, error_of, [draw(epsilon) for _ in range(DRAWS)], zero))
                bar.advance(f"{mechanism}, epsilon {epsilon:g}")
    return rows


def _draw(release: Release[Any], true: float) -> Measured:
    promised = release.details.get("guarantee")
    return Measured(release.claim, None if promised is None else promised.bound, true)


def low_rank(x: NDArray[Any], rng: np.random.Generator, denoise: str | None, epsilon: float) -> Measured:
    """Release ``X'X`` at `RANK`, and compare ``|X'X - H|_F / n`` with its guarantee and with what is impossible.

    The guarantee is on the error beyond that of the best rank, which no output of the rank beats; nor does a private
    one that sees ``X'X`` only beat MWKTV-T2.4U, on some data of the same eigenvalues and half of the time.
    """
    gram, n = x.T @ x, len(x)
    release = private_low_rank(x, RANK, epsilon, denoise=denoise, rng=rng)
    values = np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0)
    best = float(np.sum(values[RANK:] ** 2))
    beyond = release.details.get("guarantee")
    guaranteed = None if beyond is None else float(np.sqrt(best)) / n + beyond.bound
    lower = (each.bound(values, epsilon, "real") for each in (lower_bound_any_epsilon, lower_bound_uniform))
    impossible = float(np.sqrt(max(best, *lower))) / n
    return Measured(release.claim, guaranteed, float(np.linalg.norm(release.value - gram / n)), impossible)


def audits(seed: int) -> list[Audit]:
    """Audit a sound and a broken mechanism at epsilon 1, on two rows of which one is replaced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        specimens = importlib.import_module("dpspectra.audit.specimens")
    pair = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])

    def laplace(x: NDArray[Any], rng: np.random.Generator) -> Any:
        return laplace_covariance(x, 1.0, rng=rng).value

    def wishart(x: NDArray[Any], size: int, rng: np.random.Generator) -> Any:
        return specimens.wishart_one_sided(x, 1.0, size=size, rng=rng)

    sound = audit(laplace, pair, 1.0, draws=8_000, seconds=15, rng=seed)
    broken = audit(wishart, pair, 1.0, seconds=15, rng=seed)
    return [
        Audit("laplace_covariance", True, sound),
        Audit("Wishart mechanism, black box", False, broken, sampled(wishart, pair, broken)),
        Audit(
            "Wishart mechanism, by its support",
            False,
            audit(wishart, pair, 1.0, seconds=15, support=specimens.wishart_support, rng=seed),
        ),
    ]


def run(request: DemoRequest) -> int:
    """Do everything, print it, write ``out/index.html``; return 1 if a promise was found broken."""
    out, seed, to = request.out, request.seed, request.json
    rng = checks.generator(seed)
    if out.exists() and not out.is_dir():
        raise ValueError(f"the report folder must be a folder, got the file {str(out)!r}")
    check_outputs(out / "index.html" if out.exists() else out)
    extras.load("matplotlib", "plot", "plots")
    x = digits()
    source = None if seed is None else rng
    found = Directions.of(private_pca(x, RANK, max(EPSILONS), center="none", rng=source), x)
    rows = releases(x, rng)
    if to != command_output.STDOUT:
        _print_releases(rows, x)
    known = list(labels())
    with progress(total=len(known), description="verify") as bar:
        reports = verify(known, EXAMPLES, announce=lambda report: bar.advance(report.label), jobs=JOBS)
    judged = audits(seed or 0)
    short = in_short(found, rows, reports, judged, str(out / "index.html"))
    out.mkdir(exist_ok=True)
    write_text(out / "index.html", page(short[:-1], found, rows, reports, judged))
    broken = any(report.ok is False for report in reports) or not all(a.as_it_should for a in judged)
    if to != command_output.STDOUT:
        _print_findings(reports, judged)
        _print_in_short(short)
    command_output.put(to, lambda: json.dumps(_data(rows, reports, judged, broken), indent=1))
    return int(broken)


def _print_releases(rows: list[TableRow], x: NDArray[Any]) -> None:
    n, d = x.shape
    size = float(np.linalg.norm(x.T @ x / n))
    print(f"Handwritten digits: {n} people, {d} columns, rows of norm 1; A = X'X/n, |A|_F = {size:.4f}")
    print(
        "Neighbours: one row is replaced. Guarantees hold with probability 0.95, whatever the data; errors are medians"
    )
    print(
        f"of {DRAWS} releases. To release zero needs no data. Impossible are errors that every private mechanism that"
    )
    print("sees X'X alone exceeds half of the time, on some data with these eigenvalues.")
    for error_of in dict.fromkeys(row.error_of for row in rows):
        here = [row for row in rows if row.error_of == error_of]
        print(f"\n{error_of} (releasing zero: {here[0].zero:.4f})")
        print(f"  {'mechanism':<38}{'epsilon':>8}{'delta':>7}{'guaranteed':>12}{'median':>10}{'impossible':>12}")
        for row in here:
            delta, limit = f"{row.delta:g}", "" if row.impossible is None else f"{row.impossible:.4f}"
            promised = "-" if row.guaranteed is None else f"{row.guaranteed:.4f}"
            numbers = f"{row.epsilon:>8g}{delta:>7}{promised:>12}{row.true:>10.4f}{limit:>12}"
            above = f"  exceeded by {row.exceeded} of {len(row.errors)}" if row.exceeded else ""
            print(f"  {row.mechanism:<38}{numbers}{above}")


def _print_findings(reports: list[Report], judged: list[Audit]) -> None:
    print(f"\nLedger, tight instances and {EXAMPLES} more a statement: {summary(reports)}")
    for report in reports:
        if report.ok is False:
            print(f"  BROKEN {report.label}: {report.faults[0][:200]}")
    refuted = [r for r in reports if r.verdict == "refuted" and r.ok]
    for report in refuted:
        print(f"  {report.label} is refuted, certificate {report.certificate}: dpspectra show {report.label}")
    print("\nAudits at a claimed epsilon of 1, confidence 0.999:")
    for audited in judged:
        result = audited.result
        verdict = "REFUTED" if result.violated else "not refuted"
        lower = "infinite" if np.isinf(result.epsilon_lower) else f">= {result.epsilon_lower:.3f}"
        print(f"  {audited.name:<34}{verdict:<12} epsilon {lower}, {result.draws} draws a side, {result.seconds:.2f} s")
        if result.violated:
            print(f"    witness: {result.witness}")


def _print_in_short(short: list[tuple[str, str]]) -> None:
    print("\nIn short")
    for word, text in short:
        first, *rest = textwrap.wrap(text, WIDTH - INDENT, break_long_words=False, break_on_hyphens=False)
        print(f"  {word:<{INDENT - 2}}{first}", *(" " * INDENT + line for line in rest), sep="\n")


def _data(rows: list[TableRow], reports: list[Report], judged: list[Audit], broken: bool) -> dict[str, Any]:
    return {
        "releases": [asdict(row) for row in rows],
        "statements": [report.asdict() for report in reports],
        "audits": [{"name": a.name, "sound": a.sound, **json.loads(a.result.to_json())} for a in judged],
        "broken": broken,
    }
