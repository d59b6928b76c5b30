"""An audit from inside as one self-contained HTML page: noise calls with their source lines, findings, what is open."""

from html import escape
from math import isinf

from dpspectra.audit import CurveClaim, InsideResult
from dpspectra.audit.inside_words import hidden, lines, shown_call, shown_witness
from dpspectra.report.html import document, table, verdict
from dpspectra.symbolic.verdict import Call

COLOURS = {"explained": "verified", "exceeded": "undecided"}
"""Verdicts that are told in the colour of another word."""


def inside_page(name: str, result: InsideResult) -> str:
    """Render one result."""
    title = f"{name}: {result.claim}"
    word = verdict(COLOURS.get(result.verdict, result.verdict), result.verdict)
    calls = [
        [
            f"<code>{escape(call.place)}</code>",
            escape(call.law),
            f"{call.move:.6g}" if call.alone else "not known",
            _known(call.scale),
            _known(hidden(call, result.claim)),
            f"{call.loss:.6g}" if call.alone else "not known",
            _known(call.bound if call.alone else None),
            _known(call.mu),
            _bar(call.loss / result.loss if 0 < result.loss < float("inf") else 0.0),
        ]
        for call in result.calls
    ]
    head = ["line and callers", "law", "move", "scale", "hides", "loss met", "at most", "mu", "share"]
    said = [*result.findings, *result.confirmations, *result.reasons]
    told = "".join(f"<li>{escape(text)}</li>\n" for text in said)
    witness = "" if result.witness is None else f"<p>Witness: {escape(shown_witness(result.witness))}.</p>\n"
    divergence = f"<h2>First divergence</h2>\n<p>{escape(result.divergence)}</p>" if result.divergence else ""
    body = f"""<h1>{escape(title)}: {word} on this pair</h1>
<p>{escape(lines(result)[0])}.</p>
<p>"Explained" is not "private": this is one pair of data sets, in ideal arithmetic, given the laws of the draws.
"Refuted" is a proof, or holds with confidence {result.confidence:.6g} where bets or tested events gave it.</p>
{witness}<h2>Lines that draw noise whose law differs between the data sets</h2>
{table("Noise calls", head, calls, numbers=head[2:8]) if calls else "<p>None.</p>"}
{_margins(result)}
<h2>Findings, and what is not decided</h2>
{f"<ul>{told}</ul>" if told else "<p>None.</p>"}
{divergence}
<p>{result.runs} runs with noise followed, {result.plain_runs} with nothing replaced.</p>"""
    return document(title, body)


def _margins(result: InsideResult) -> str:
    """Source lines around each noise call, with what it moves and loses in the margin."""
    told = []
    for call in result.calls:
        line = call.place.split(" ")[0]
        rows = [
            [str(n), f"<code>{escape(text)}</code>", _margin(call, result.claim) if line.endswith(f":{n}") else ""]
            for n, text in call.source
        ]
        if rows:
            told.append(f"<h3>{escape(line)}</h3>\n{table(line, ['line', 'source', 'noise'], rows, numbers=['line'])}")
    return "\n".join(["<h2>Where</h2>", *told]) if told else ""


def _margin(call: Call, claim: CurveClaim) -> str:
    if call.between or not call.alone or isinf(call.scale):
        return shown_call(call, claim)
    return f"moves {call.move:.6g}, scale {call.scale:.6g}, loses {call.loss:.6g}"


def _known(x: float | None) -> str:
    return f"{x:.6g}" if x is not None and x < float("inf") else "not known"


def _bar(share: float) -> str:
    width = round(100 * min(max(share, 0.0), 1.0))
    return (
        f'<svg role="img" aria-label="{width} percent" width="104" height="12" viewBox="0 0 104 12">'
        f'<rect x="2" y="2" width="{width}" height="8" fill="var(--link)"/></svg>'
    )
