"""The demonstration's page: one self-contained HTML file with inline plots."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from html import escape

import numpy as np

from dpspectra.audit.result import role
from dpspectra.ledger import Report, labels
from dpspectra.mechanisms.claims import CONFIDENCE
from dpspectra.report.audit_page import errors_of
from dpspectra.report.demo_findings import Audit, Directions, TableRow
from dpspectra.report.html import document, picture, statement, table, verdict
from dpspectra.report.plots import component_plot, error_plot, evidence_plot, trade_off_plot

RELEASE_HEAD = ["mechanism", "epsilon", "delta", "guaranteed", "median error", "smallest", "largest"]
AUDIT_HEAD = ["mechanism", "verdict", "epsilon at least", "draws a side", "witness"]
STATEMENT_HEAD = ["label", "statement", "verdict", "result", "cases", "closest to equality", "module"]
NUMBERS = {
    *("epsilon", "delta", "guaranteed", "median error", "smallest", "largest", "impossible"),
    *("epsilon at least", "draws a side", "cases", "closest to equality"),
}
"""Heads of columns of numbers."""
NOT_AS_PRINTED = ("refuted", "repaired", "proof-gap", "conjecture")
"""Verdicts of the statements that the page names first."""


def page(
    short: Sequence[tuple[str, str]],
    found: Directions,
    rows: Sequence[TableRow],
    reports: Sequence[Report],
    audits: Sequence[Audit],
) -> str:
    """Render the demonstration: findings in short, components, releases and their errors, audits, statements."""
    d, k = found.best.shape
    size = float(np.linalg.norm(found.gram))
    words = f"The {k} released directions above, the best ones below, which are not private; a direction has no sign"
    body = f"""<h1>Private spectral statistics of handwritten digits</h1>
<p>{found.rows} people, {d} columns, each row divided by its own norm. Two data sets are neighbours if one row is
replaced. <i>A = X'X/n</i> has Frobenius norm {size:.4f}.</p>
{table("In short", ["what", "found"], [[escape(word), escape(text)] for word, text in short])}
<h2>Components</h2>
{picture(component_plot(found.release.value, found.best), words)}
<h2>Error against epsilon</h2>
{_releases(rows, {report.label for report in reports})}
<h2>Evidence against draws</h2>
<p>The auditor sees outputs only and bets against the claim. Under a true claim its wealth ever passes 1000 with
probability at most 0.001, so then the claim is refuted, and the lower bound on epsilon holds with confidence 0.999.
"Not refuted" proves nothing.</p>
{
        picture(
            evidence_plot({audited.name: audited.result for audited in audits}),
            "Wealth of the auditor against each claim, by draws",
            wide=True,
        )
    }
{table("Audits", AUDIT_HEAD, [_audit(audited) for audited in audits], NUMBERS)}
{"".join(_region(audited) for audited in audits if audited.seen is not None)}
<h2>Statements</h2>
{_statements(reports)}"""
    return document("dpspectra: demonstration", body)


def _releases(rows: Sequence[TableRow], listed: Collection[str]) -> str:
    """Return a section for each kind of error, below remarks on all of them."""
    draws, above = sum(len(row.errors) for row in rows), sum(row.exceeded for row in rows)
    risk = 1 - CONFIDENCE
    seen = f"In {above} of {draws} releases here it does" if above else f"In none of {draws} releases here it does"
    intro = f"""<p>Each point is the median of {len(rows[0].errors)} releases, and the band reaches from the smallest to
the largest error; the errors are shown because these data are public. A guarantee holds whatever the data are: the
error of a release exceeds it with probability at most {risk:.2g}. {seen}; up to about {math.ceil(risk * draws)} would
be no surprise. Releasing zero needs no data: an error above that says that epsilon is too small for so few people.</p>
"""
    kinds = dict.fromkeys(row.error_of for row in rows)
    return intro + "\n".join(_kind(kind, [row for row in rows if row.error_of == kind], listed) for kind in kinds)


def _kind(kind: str, rows: Sequence[TableRow], listed: Collection[str]) -> str:
    limits = any(row.impossible is not None for row in rows)
    head = [*RELEASE_HEAD, *(["impossible"] if limits else [])]
    explained = (
        "<p>The shaded errors are impossible for private mechanisms of this rank that see <i>X'X</i> alone: on some"
        " data with these eigenvalues each of them has a larger error half of the time.</p>\n"
    )
    title = kind[0].upper() + kind[1:]
    plot = picture(error_plot(rows), f"{title} against epsilon. Releasing zero has an error of {rows[0].zero:.4g}.")
    grid = table(title, head, [_release(row, limits) for row in rows], NUMBERS)
    rests = ", ".join(
        f"{escape(mechanism)} ({', '.join(_cited(label, listed) for label in found)})"
        for mechanism, found in {row.mechanism: row.labels for row in rows}.items()
    )
    behind = f"<p>Statements behind the claims: {rests}.</p>"
    return f"<h3>{escape(title)}</h3>\n{explained if limits else ''}{plot}\n{grid}\n{behind}"


def _cited(label: str, listed: Collection[str]) -> str:
    """Return a label as a link to its row of the page, if it has one."""
    return f'<a href="#{escape(label)}">{escape(label)}</a>' if label in listed else escape(label)


def _release(row: TableRow, limits: bool) -> list[str]:
    above = f"<br>exceeded by {row.exceeded} of {len(row.errors)}" if row.exceeded else ""
    promised = "" if row.guaranteed is None else f"{row.guaranteed:.4f}"
    numbers = [row.true, row.errors[0], row.errors[-1], *([row.impossible or 0.0] if limits else [])]
    known = escape(row.mechanism), f"{row.epsilon:g}", f"{row.delta:g}", f"{promised}{above}"
    return [*known, *(f"{number:.4f}" for number in numbers)]


def _audit(audited: Audit) -> list[str]:
    result = audited.result
    lower = "infinite" if np.isinf(result.epsilon_lower) else f"{result.epsilon_lower:.3f}"
    witness = escape(result.witness) if result.violated else ""
    return [escape(audited.name), verdict(result.verdict), lower, f"{result.draws:,}", witness]


def _region(audited: Audit) -> str:
    """Return what tells the data sets apart, and the errors that the claim forbids."""
    result, seen = audited.result, audited.seen
    drawn = trade_off_plot(result.claim, seen, errors_of(result), role(result))
    words = f"{audited.name}: errors of tests that tell the data sets apart, and the region that the claim forbids"
    return picture(drawn, words)


def _statements(reports: Sequence[Report]) -> str:
    built = [report for report in reports if report.ok is not None]
    shown = [report for report in built if report.ok is False]
    shown += [report for word in NOT_AS_PRINTED for report in built if report.verdict == word and report not in shown]
    rest = [report for report in built if report not in shown]
    counts = Counter(report.verdict for report in built)
    words = ", ".join(f"{count} {verdict(word)}" for word, count in counts.most_common())
    faulty = sum(report.ok is False for report in built)
    outcome = f"{faulty} came out otherwise than the ledger says" if faulty else "All came out as the ledger says"
    return f"""<p>{len(built)} statements were recomputed for this page in two arithmetics: {words}.
{outcome}.</p>
{_listed("Statements that do not stand as printed", shown)}
<details><summary>The other {len(rest)} statements</summary>
{_listed("Statements that stand", rest)}
</details>"""


def _listed(name: str, reports: Sequence[Report]) -> str:
    anchors = [report.label for report in reports]
    return table(name, STATEMENT_HEAD, [_statement(report) for report in reports], NUMBERS, anchors)


def _statement(report: Report) -> list[str]:
    (label,) = (known for known in labels() if known.label == report.label)
    closest = "" if report.closest is None else f"{report.closest:.6g}"
    result = "ok" if report.ok else verdict("broken", "BROKEN")
    title = f"{label.number}: {label.name}" if label.number else label.name
    module = f"<code>{escape(report.module.removeprefix('dpspectra.lemmas.'))}</code>"
    cases = str(report.cases or "")
    return [statement(report.label), escape(title), verdict(report.verdict), result, cases, closest, module]
