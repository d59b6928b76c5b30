"""The page of an audit."""

import re

from dpspectra.audit import audit
from dpspectra.cli import run
from dpspectra.report.audit_page import errors_of
from tests.support.toys import SUPPORT, WISHART, toy


def test_the_page_is_self_contained(workshop):
    assert run(["audit", WISHART, "--epsilon", "1", "--support", SUPPORT, "--html", "r.html"]) == 1
    html = (workshop / "r.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 3
    assert not [word for word in ("<script", "<link", "<img", "@import", "src=") if word in html]
    assert not re.findall(r'(?:href|url)[=(]"?(?!#|http://www.w3.org/1999/xlink)[^#"]', html)
    assert "<h2>Certificate</h2>" in html
    assert "refuted</span>" in html
    assert run(toy("laplace", "--epsilon", "1", "--draws", "500", "--html", "sound.html")) == 0
    assert '"not-refuted">not refuted</span>' in (workshop / "sound.html").read_text(encoding="utf-8")


def test_the_errors_of_the_test_are_shares_of_the_draws():
    """One data set gives 0 in four of five draws, the other one in one: the event is seen on either side."""

    def told(x, size, rng):
        return (rng.random(size) < x).astype(float)

    for pair in ((0.2, 0.8), (0.8, 0.2)):
        errors = errors_of(audit(told, pair, 0.1, draws=4000, rng=1))
        assert errors is not None
        assert max(abs(error - 0.2) for error in errors) < 0.05
