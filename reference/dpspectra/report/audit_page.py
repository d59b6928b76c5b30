"""An audit as one self-contained HTML page with inline plots."""

from html import escape

from dpspectra.audit import AuditResult
from dpspectra.audit.draws_for_picture import LabelSample, Sample
from dpspectra.audit.result import facts, role
from dpspectra.report.html import document, picture, table, verdict
from dpspectra.report.plots import evidence_plot, trade_off_plot, witness_plot


def audit_page(name: str, result: AuditResult, seen: Sample | LabelSample | None) -> str:
    """Render one result; ``seen`` is a sample of what the event is about, for the pictures."""
    title = f"{name}: {result.claim}"
    certificate = "" if result.certificate is None else f"<h2>Certificate</h2>\n<pre>{_certificate(result)}</pre>"
    body = f"""<h1>{escape(title)}: {verdict(result.verdict)}</h1>
<p>A claim that holds is called refuted with probability at most {1 - result.confidence:.3g}, over all looks together.
"Not refuted" proves nothing: these were draws on one pair of data sets, and so many of them show, with probability 0.9,
no less than the smallest loss and the smallest event of this table.</p>
{table("What was found", ["what", "found"], [[escape(key), escape(value)] for key, value in facts(result).items()])}
{certificate}
<h2>Evidence against draws</h2>
{picture(evidence_plot({name: result}), "Wealth of the auditor against the claim, by draws", wide=True)}
<h2>What tells the data sets apart</h2>
{_pictures(result, seen)}"""
    return document(title, body)


def _pictures(result: AuditResult, seen: Sample | LabelSample | None) -> str:
    drawn = "<p>No statistic had values on both data sets.</p>"
    if seen is not None:
        counts = seen.draws if isinstance(seen, LabelSample) else map(len, seen.values)
        note = f"{' and '.join(map(str, counts))} draws made for the pictures, after the audit."
        ends = " What lies beyond the ends is counted there." if isinstance(seen, Sample) else ""
        drawn = picture(witness_plot(seen, role(result)), f"{note}{ends}", wide=True)
    errors = trade_off_plot(result.claim, seen, errors_of(result), role(result))
    return f"{drawn}\n{picture(errors, 'Errors of tests that tell the data sets apart, and what the claim forbids')}"


def errors_of(result: AuditResult) -> tuple[float, float] | None:
    """Return false alarms and misses of the test that the event makes."""
    if result.counts is None:
        return None
    first, second, draws = result.counts
    if result.event.favoured == 0 if result.event is not None else result.witness.endswith("on the first data set"):
        return second / draws, 1 - first / draws
    return 1 - second / draws, first / draws


def _certificate(result: AuditResult) -> str:
    return escape("\n".join(f"{key}: {value}" for key, value in (result.certificate or {}).items()))
