"""The page of an audit."""

import re

from dpspectra.cli import run
from tests.support.toys import SUPPORT, WISHART, toy


def test_the_page_is_self_contained(workshop):
    assert run(["audit", WISHART, "--epsilon", "1", "--support", SUPPORT, "--html", "r.html"]) == 1
    html = (workshop / "r.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 3
    assert not [word for word in ("<script", "<link", "<img", "@import", "src=") if word in html]
    assert not re.findall(r'(?:href|url)[=(]"?(?!#|http://www.w3.org/1999/xlink)[^#"]', html)
    assert "<h2>Certificate</h2>" in html
    assert "refuted</span>" in html
    assert run(toy("laplace", "--epsilon", "1", "--draws", "500", "--html", "deep/er/r.html")) == 0
    assert '"not-refuted">not refuted</span>' in (workshop / "deep/er/r.html").read_text(encoding="utf-8")
