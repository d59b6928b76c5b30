"""The demonstration's page: one self-contained HTML file with inline plots."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ledger import Report
from dpspectra.report.findings import Audit, Row
from dpspectra.report.html import document, table
from dpspectra.report.plots import error_plot, evidence_plot

RELEASE_HEAD = ["mechanism", "claim", "guaranteed (95 %)", "true", "impossible", "error"]
AUDIT_HEAD = ["mechanism", "verdict", "epsilon at least", "draws a side", "witness"]
STATEMENT_HEAD = ["label", "verdict", "result", "cases", "closest to equality", "module"]


def page(rows: Sequence[Row], reports: Sequence[Report], audits: Sequence[Audit], x: NDArray[Any]) -> str:
    """Render the demonstration: releases with guarantee and true error, statements, audits."""
    n, d = x.shape
    size = float(np.linalg.norm(x.T @ x / n))
    built = [report for report in reports if report.ok is not None]
    body = f"""<h1>Private spectral statistics of handwritten digits</h1>
<p>{n} people, {d} columns, rows scaled into the unit ball by the public bound on a pixel. Two data sets are
neighbours if one row is replaced. <i>A = X'X/n</i> has Frobenius norm {size:.4f}: an error above that says less than
releasing zero. Guarantees hold with probability 0.95, whatever the data; the true errors are shown because these data
are public. An error is impossible if for every private mechanism of that rank that sees <i>X'X</i> only there are data
with the eigenvalues of these on which it exceeds that error half of the time.</p>
<h2>Error against epsilon</h2>
{error_plot(rows, size)}
{table(RELEASE_HEAD, [_release(row) for row in rows])}
<h2>Evidence against draws</h2>
<p>The auditor sees outputs only and bets against the claim. Under a true claim its wealth ever passes 1000 with
probability at most 0.001, so then the claim is refuted, and the lower bound on epsilon holds with confidence 0.999.
"Not refuted" proves nothing.</p>
{evidence_plot({audited.name: audited.result for audited in audits})}
{table(AUDIT_HEAD, [_audit(audited) for audited in audits])}
<h2>Statements</h2>
<p>{len(built)} of {len(reports)} labels are built; each line was recomputed for this page in two arithmetics.</p>
{table(STATEMENT_HEAD, [_statement(report) for report in _ordered(built)])}"""
    return document("dpspectra: demonstration", body)


def _ordered(reports: Sequence[Report]) -> list[Report]:
    order = {"refuted": 0, "repaired": 1, "proof-gap": 2}
    return sorted(reports, key=lambda report: order.get(report.verdict, 3))


def _release(row: Row) -> list[str]:
    claim = f"epsilon {row.epsilon:g}" + (f", delta {row.delta:g}" if row.delta else "") + f", {row.relation}"
    guaranteed, impossible = ("none proved" if v is None else f"{v:.4f}" for v in (row.guaranteed, row.impossible))
    numbers = guaranteed, f"{row.true:.4f}", impossible
    return [escape(text) for text in (row.mechanism, claim, *numbers, row.error_of)]


def _audit(audited: Audit) -> list[str]:
    result = audited.result
    lower = "infinite" if np.isinf(result.epsilon_lower) else f"{result.epsilon_lower:.3f}"
    verdict = '<span class="refuted">refuted</span>' if result.violated else result.verdict
    witness = escape(result.witness) if result.violated else ""
    return [escape(audited.name), verdict, lower, str(result.draws), witness]


def _statement(report: Report) -> list[str]:
    closest = "" if report.closest is None else f"{report.closest:.6g}"
    result = "ok" if report.ok else '<span class="broken">BROKEN</span>'
    verdict = f'<span class="{report.verdict}">{report.verdict}</span>'
    module = report.module.removeprefix("dpspectra.lemmas.")
    return [escape(report.label), verdict, result, str(report.cases or ""), closest, escape(module)]
