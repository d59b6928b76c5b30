"""The rational checker encloses: values of 1000 digits lie in every enclosure, at any precision, for intervals too."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ball import enclose as ball
from dpspectra.ledger import all_statements, certificate, check, inequality
from dpspectra.ledger.certificate import Interval, enclose

DIGITS = 1000
WIDTHS = [Fraction(0), Fraction(1, 2**40), Fraction(1, 7)]
EXACT = {
    "exp": mp.exp,
    "log": mp.log,
    "sqrt": mp.sqrt,
    "normal_cdf": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
}
POINTS = {
    "exp": ["-30", "-7/3", "-1/1000", "0", "1/3", "1", "41/2"],
    "log": ["1/100000", "1/3", "2/3", "1", "4/3", "3", "1000001/7"],
    "sqrt": ["0", "1/1000000", "1/3", "2", "12345"],
    "normal_cdf": ["-7", "-3/2", "-1/1000", "0", "1/3", "2", "13/2"],
}


def exact(value):
    """The mpmath number nearest to a fraction."""
    return mp.mpf(value.numerator) / value.denominator


def holds(box, low, high):
    """Whether the enclosure contains what lies between two numbers of 1000 digits."""
    return exact(box.low) <= low and high <= exact(box.high)


@pytest.fixture(params=[12, 40, 384])
def bits(request, monkeypatch):
    """A precision: at 12 bits an error of one unit is no rounding to hide in."""
    monkeypatch.setattr(certificate, "BITS", request.param)
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "point"), [(name, point) for name, points in POINTS.items() for point in points])
def test_functions_enclose_their_values_over_intervals(name, point, width, bits):
    low = Fraction(point)
    box = certificate._OPERATIONS[name](Interval(low, low + width)).rounded()
    with mp.workdps(DIGITS):
        assert holds(box, EXACT[name](exact(low)), EXACT[name](exact(low + width)))


def test_pi_is_enclosed(bits):
    with mp.workdps(DIGITS):
        assert holds(certificate._pi(), +mp.pi, +mp.pi)
        for inverse in (2, 5, 239):
            assert holds(certificate._arctan(inverse), mp.atan(mp.mpf(1) / inverse), mp.atan(mp.mpf(1) / inverse))


NUMBERS = st.fractions(Fraction(-9), Fraction(9), max_denominator=97)
BOXES = st.tuples(NUMBERS, st.sampled_from(WIDTHS)).map(lambda p: Interval(p[0], p[0] + p[1]))


@pytest.mark.parametrize("precision", [8, 384])
@given(a=BOXES, b=BOXES, c=BOXES)
@settings(derandomize=True, deadline=None)
def test_arithmetic_encloses_the_values_at_all_corners(precision, a, b, c):
    operations = certificate._OPERATIONS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "BITS", precision)
        boxes = {
            "add": operations["add"](a, b, c).rounded(),
            "sub": operations["sub"](a, b).rounded(),
            "mul": operations["mul"](a, b, c).rounded(),
            "neg": operations["neg"](a).rounded(),
        }
        if not b.low <= 0 <= b.high:
            boxes["div"] = operations["div"](a, b).rounded()
    for x in (a.low, a.high):
        for y in (b.low, b.high):
            for z in (c.low, c.high):
                values = {"add": x + y + z, "sub": x - y, "mul": x * y * z, "neg": -x, "div": y and x / y}
                assert all(box.low <= values[name] <= box.high for name, box in boxes.items())


@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_what_has_no_value_is_an_error(name):
    with pytest.raises(ValueError, match=r"negative|non-positive"):
        certificate.enclose([name, "-1"])


def test_enclosures_are_narrow():
    """Three hundred bits are left of 384 where a normal tail cancels."""
    for name, points in POINTS.items():
        for point in points:
            box = certificate.enclose([name, point])
            assert box.high - box.low <= max(Fraction(1), abs(box.high)) / 2**300, (name, point)


def test_rounding_to_the_grid_is_outward():
    third = Fraction(1, 3)
    for value in (third, -third):
        box = Interval(value, value).rounded()
        assert box.low < value < box.high


RATIONALS = st.fractions(Fraction(-6), Fraction(6), max_denominator=50).map(str)


@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(RATIONALS)
def test_the_rational_checker_agrees_with_ball_arithmetic(x):
    trees = [["exp", x], ["normal_cdf", x], ["log", ["add", "7", x]], ["sqrt", ["mul", x, x]], ["div", x, ["pi"]]]
    for tree in trees:
        mine, theirs = enclose(tree), ball(tree)
        assert mine.low <= mine.high
        assert float(mine.high - mine.low) < 1e-80
        assert theirs.overlaps(_arb(mine.low).union(_arb(mine.high)))


def _arb(value):
    import flint

    with flint.ctx.workprec(500):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))


def test_a_false_certificate_is_rejected_and_nonsense_is_an_error():
    assert not check(inequality("X", "why", "1", ["exp", "0"])).accepted
    assert not check(inequality("X", "why", "0", "1")).accepted
    assert check(inequality("X", "why", ["exp", "1/100000"], "1")).accepted
    with pytest.raises(ValueError, match=r"greater must be a rational in a string or \[operation"):
        inequality("X", "why", ["gamma", "1"], "1")
    with pytest.raises(ValueError, match="certificate greater must be a rational in a string"):
        check({"kind": "inequality", "greater": ["gamma", "1"], "lesser": "1"})
    with pytest.raises(ValueError, match="kind"):
        check({"kind": "other"})
    with pytest.raises(ValueError, match="contains zero"):
        enclose(["div", "1", ["sub", "1", "1"]])


def test_arguments_that_would_take_hours_are_refused():
    assert enclose(["exp", "1000000"]).low > 10**6
    for tree, limit in ((["exp", ["exp", "20"]], 2**20), (["exp", "-1048577"], 2**20), (["normal_cdf", "101"], 100)):
        message = f"^{tree[0]} must be of a number from -{limit} to {limit}, got one beyond: compare smaller numbers"
        with pytest.raises(ValueError, match=message):
            check(inequality("X", "why", tree, "1"))


def value(tree):
    """What a certificate's tree says, in the arithmetic of mpmath."""
    if isinstance(tree, str):
        numerator, _, denominator = tree.partition("/")
        return mp.mpf(numerator) / mp.mpf(denominator or 1)
    operation, *rest = tree
    x = [value(one) for one in rest]
    return {
        "add": lambda: mp.fsum(x),
        "sub": lambda: x[0] - x[1],
        "mul": lambda: mp.fprod(x),
        "div": lambda: x[0] / x[1],
        "neg": lambda: -x[0],
        "sqrt": lambda: mp.sqrt(x[0]),
        "exp": lambda: mp.exp(x[0]),
        "log": lambda: mp.log(x[0]),
        "normal_cdf": lambda: mp.erfc(-x[0] / mp.sqrt(2)) / 2,
        "pi": lambda: +mp.pi,
    }[operation]()


CERTIFIED = [entry for entry in all_statements() if "certificate" in entry.faces]


@pytest.mark.parametrize("bits", [24, 384])
@pytest.mark.parametrize("entry", CERTIFIED, ids=lambda entry: entry.id)
def test_certificates_enclose_their_values_at_any_precision(entry, bits, monkeypatch):
    """Both sides, to 1000 digits; at 24 bits a divisor may be too near to 0, which proves nothing."""
    proof = entry.faces["certificate"]()
    monkeypatch.setattr(certificate, "BITS", bits)
    with mp.workdps(1000):
        for side in ("greater", "lesser"):
            try:
                box = certificate.enclose(proof[side])
            except ValueError:
                assert bits == 24
                continue
            exact = value(proof[side])
            assert mp.mpf(box.low.numerator) / box.low.denominator <= exact, side
            assert exact <= mp.mpf(box.high.numerator) / box.high.denominator, side


@pytest.mark.parametrize("power", [-40, -1, 0, 1, 3, 40])
def test_logarithms_of_powers_of_two_and_their_neighbours(power):
    """Where the reduced argument is at an end of its range."""
    for ratio in (Fraction(1), Fraction(4, 3), Fraction(2, 3), Fraction(133, 100), Fraction(67, 100)):
        x = ratio * Fraction(2) ** power
        box = certificate.enclose(["log", str(x)])
        with mp.workdps(200):
            exact = mp.log(mp.mpf(x.numerator) / x.denominator)
            assert mp.mpf(box.low.numerator) / box.low.denominator <= exact
            assert exact <= mp.mpf(box.high.numerator) / box.high.denominator


@pytest.mark.parametrize("tree", [["sub", "1"], ["exp"], ["exp", "1", "2"], ["pi", "1"], ["add", "1", ["div", "1"]]])
def test_an_operation_takes_its_number_of_trees(tree):
    with pytest.raises(ValueError, match=r"greater must give [a-z]+ its number of trees, got"):
        certificate.check(inequality("X", "why", "1/2", "1/3") | {"greater": tree})


@pytest.mark.parametrize("tree", [[["sub"], "1", "1"], [None, "1"], [{}], []])
def test_an_operation_is_a_word(tree):
    with pytest.raises(ValueError, match="certificate greater must be a rational in a string or"):
        certificate.check(inequality("X", "why", "1/2", "1/3") | {"greater": tree})


def test_an_inequality_between_equal_numbers_is_not_proved():
    assert not certificate.check(inequality("X", "why", "1/3", "1/3")).accepted
    assert certificate.check(inequality("X", "why", ["add", "1/3", "1/1000000"], "1/3")).accepted
