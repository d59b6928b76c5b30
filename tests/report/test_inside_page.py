"""The page of an audit from inside."""

from dpspectra.audit import inside
from dpspectra.report.inside_page import inside_page


def test_the_page_holds_the_lines_and_what_is_open():
    def squares(x, rng):
        return float(x + rng.laplace(scale=0.5)) ** 2

    page = inside_page("<squares>", inside(squares, (0.0, 1.0), 1.0))
    assert "&lt;squares&gt;" in page
    assert ">exceeded</span> on this pair" in page
    assert "noise is looked at before the output" in page
    assert "test_inside_page.py:" in page
    assert page.count("<svg") == 1
