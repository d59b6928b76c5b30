"""The page of an audit from inside."""

from dpspectra.audit import inside
from dpspectra.report import inside_page as pages
from dpspectra.report.inside_page import inside_page


def test_the_page_holds_the_lines_and_what_is_open():
    def squares(x, rng):
        return float(x + rng.laplace(scale=0.95)) ** 2

    page = inside_page("<squares>", inside(squares, (0.0, 1.0), 1.0))
    assert "&lt;squares&gt;" in page
    assert ">exceeded</span> on this pair" in page
    assert "noise is looked at before the output" in page
    assert "test_inside_page.py:" in page
    assert page.count("<svg") == 1


def test_source_lines_have_their_noise_in_the_margin():
    def twice(x, rng):
        wide = x + rng.laplace(scale=4.0)
        narrow = 2 * x + rng.laplace(scale=0.5)
        return wide, narrow

    result = inside(twice, (0.0, 1.0), 1.0)
    page = inside_page("twice", result)
    first = twice.__code__.co_firstlineno
    assert f"<h3>test_inside_page.py:{first + 2}</h3>" in page
    row = next(line for line in page.splitlines() if "narrow = 2 * x" in line and "moves" in line)
    assert "moves 2, scale 0.5, loses 4" in row
    assert "<td>4</td>" in page.replace(' class="number"', "")
    assert f"    {first + 2:>5}  narrow = 2 * x + rng.laplace(scale=0.5)" in str(result)
    assert "scale 0.5, hides 0.5 at the claim, loses 4" in str(result)
    assert "://" not in page


def test_both_lines_of_the_first_divergence():
    def branching(x, rng):
        if x:
            return f"{rng.normal():.1f}"
        return bool(rng.normal() > 0)

    text = str(inside(branching, (0, 1), 1.0))
    assert '`return f"{rng.normal():.1f}"`' in text
    assert "`return bool(rng.normal() > 0)`" in text
    assert "first divergence: the two data sets ask other questions" in text


def test_bars_are_as_long_as_their_share():
    for share, width in ((0.5, 50), (-1.0, 0), (2.0, 100)):
        assert f'aria-label="{width} percent"' in pages._bar(share)
        assert f'y="2" width="{width}"' in pages._bar(share)


def test_a_witness_and_a_choice_are_told():
    def chosen(p, rng):
        return int(rng.choice(2, p=p))

    page = inside_page("chosen", inside(chosen, ([0.5, 0.5], [0.1, 0.9]), 1.0))
    assert "Witness: output = 0: its probability is 0.5 on the first data set, 0.1 on the second." in page
    assert "choice, loses 1.60944" in page
    assert "inf" not in page.split("<h2>Lines")[1].split("<h2>Where")[0]
