"""The plugin, in pytest runs of its own. Audits there have fixed seeds, as these derive from node ids."""

import re
from xml.etree import ElementTree

import pytest

import dpspectra.audit  # noqa: F401  (pytester forgets what its runs import, and numpy can be imported but once)
from dpspectra.pytest_plugin.share import MARKER

pytest_plugins = ["pytester"]

MECHANISMS = """
    import numpy as np
    import pytest
    from dpspectra.audit import GDP

    pair = 0.0, 1.0

    def laplace(x, *, size, rng):
        return rng.laplace(x, 1.0, size)
"""


@pytest.fixture
def outcomes(pytester):
    """Write tests below the mechanisms, run them, return the result of the run."""

    def outcomes(tests, *options):
        pytester.makepyfile(test_it=MECHANISMS + tests)
        return pytester.runpytest("--dp-draws", "3000", "-W", "error", "-p", "no:cacheprovider", *options)

    return outcomes


def test_a_claim_that_holds_passes_and_one_that_does_not_fails(outcomes):
    run = outcomes("""
    @pytest.mark.dp_claim(1.0)
    def test_sound(dp_audit):
        result = dp_audit(laplace, pair)
        assert result.draws == 3000
        assert not result.violated

    @pytest.mark.dp_claim(0.5, delta=0.01)
    def test_broken(dp_audit):
        dp_audit(laplace, pair)

    @pytest.mark.dp_claim(GDP(0.25))
    def test_curve(dp_audit):
        dp_audit(laplace, pair)
    """)
    run.assert_outcomes(passed=1, failed=2)
    run.stdout.fnmatch_lines(["*ClaimRefuted: (0.5, 0.01)-DP is refuted: epsilon is at least 0.5*", "*witness: *"])
    run.stdout.fnmatch_lines(["*ClaimRefuted: 0.25-GDP is refuted: mu is at least *"])
    run.stdout.no_fnmatch_line("*pytest_plugin*py:*")
    told = "audits: 1 not refuted by draws; the weakest, test_it.py::test_sound, would have refuted a loss of 1.* nats"
    run.stdout.fnmatch_lines([told + " where the claim is 1-DP"])


def test_results_are_recorded_as_properties(outcomes, pytester):
    outcomes(
        """
    @pytest.mark.dp_claim(0.5)
    def test_broken(dp_audit):
        dp_audit(laplace, pair)
    """,
        "--junitxml=junit.xml",
    ).assert_outcomes(failed=1)
    properties = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    values = {p.get("name"): p.get("value") for p in properties}
    assert values["dp_claim"] == "0.5-DP"
    assert values["dp_violated"] == "True"
    assert float(values["dp_bound"]) > 0.5
    names = ["claim", "verdict", "reason", "violated", "bound", "confidence", "draws", "witness", "stopped"]
    assert values.keys() == {f"dp_{name}" for name in [*names, "power", "refutable_probability"]}


def test_power_can_be_required(outcomes, pytester):
    """3000 draws refute a loss of about 1.3 nats as no 1-DP."""
    tests = """
    @pytest.mark.dp_claim({})
    def test_laplace(dp_audit):
        dp_audit(laplace, pair)
    """
    outcomes(tests.format(1.0), "--dp-require-power", "1.5").assert_outcomes(passed=1)
    run = outcomes(tests.format(1.0), "--dp-require-power", "1.1", "--junitxml=junit.xml")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        ["*Undecided: 1-DP is neither refuted nor tested: so few draws refute losses of 1.* only*--dp-draws*"]
    )
    run.stdout.no_fnmatch_line("*(--draws)*")
    values = {p.get("name"): p.get("value") for p in ElementTree.parse(pytester.path / "junit.xml").iter("property")}
    assert 1.1 < float(values["dp_power"]) < 1.5
    assert 0 < float(values["dp_refutable_probability"]) < 0.1
    assert "suspected to be too likely" in values["dp_closest_event"]
    run = outcomes(tests.format(0.2), "--dp-require-power", "0.3")
    run.stdout.fnmatch_lines(["*ClaimRefuted*"])
    compared = """
    def test_alike(dp_conforms):
        dp_conforms(laplace, laplace, 0.0, draws=400)
    """
    outcomes(compared, "--dp-require-power", "2").assert_outcomes(passed=1)
    run = outcomes(compared, "--dp-require-power", "0.01")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*Undecided: total variation at most 0 is neither refuted nor tested: *--dp-draws*"])


XFAILS = """
    @pytest.mark.dp_claim({epsilon})
    @pytest.mark.parametrize("scale", [1.0], ids=["an id"])
    def test_known(dp_audit, scale):
        {before}
        dp_audit(laplace, pair)
"""


@pytest.mark.parametrize(
    ("epsilon", "before", "expected"),
    [(0.5, "", {"xfailed": 1}), (1.0, "", {"failed": 1}), (0.5, "assert False", {"failed": 1})],
    ids=["refuted as it should be", "strict", "only refutations are expected"],
)
def test_known_refutations(outcomes, pytester, epsilon, before, expected):
    pytester.makefile(".txt", known="# a comment\n\ntest_it.py::test_known[an id] # issue 7: half the noise\n")
    run = outcomes(XFAILS.format(epsilon=epsilon, before=before), "--dp-xfails", "known.txt", "-rx")
    run.assert_outcomes(**expected)
    if "xfailed" in expected:
        run.stdout.fnmatch_lines(["XFAIL test_it.py::test_known* - issue 7: half the noise*"])


SEARCHES = """
    def covariance(scale):
        def mechanism(X, rng):
            noise = rng.laplace(scale=scale, size=(X.shape[1], X.shape[1]))
            return X.T @ X + np.triu(noise) + np.triu(noise, 1).T
        return mechanism

    def careful(X, rng):
        if np.max(np.linalg.norm(X, axis=1), initial=0) > 0.5:
            raise ValueError("rows are too long")
        return X.sum() + rng.laplace(scale=4)

    @pytest.mark.dp_claim(1.0)
    def test_half_the_scale(dp_audit):
        dp_audit(covariance(5**0.5 / 2), search="replace", domain="ball", dimension=2)

    @pytest.mark.dp_claim(1.0)
    def test_careful(dp_audit):
        dp_audit(careful, search="replace", domain="ball", dimension=2)

    @pytest.mark.dp_claim(1.0)
    def test_careful_with_its_domain(dp_audit):
        dp_audit(careful, search="replace", dimension=2, norm_bound=0.5, draws=512)

    @pytest.mark.dp_claim(1.0)
    @pytest.mark.parametrize("data", [{}, {"pair": pair, "search": "replace"}, {"search": "replace"}])
    def test_bad(dp_audit, data):
        with pytest.raises(ValueError, match="must"):
            dp_audit(laplace, **data)
        dp_audit(laplace, pair)
"""


def test_a_pair_is_looked_for(outcomes):
    """The sum of ``x x'`` changes by at most the root of 5 in the entries on and above the diagonal, if d = 2."""
    run = outcomes(SEARCHES, "--dp-draws", "6000")
    run.assert_outcomes(passed=4, failed=2)
    run.stdout.fnmatch_lines(["*ClaimRefuted: 1-DP is refuted*"])
    run.stdout.fnmatch_lines(["*must take rows of norm at most 1, or have another norm_bound, got ValueError*"])


SEVERAL = """
    @pytest.mark.dp_claim(1.0)
    def test_far(dp_audit):
        dp_audit(laplace, {"near": (0.0, 0.5), "far": (0.0, 5.0)})

    @pytest.mark.dp_claim(1.0)
    def test_both(dp_audit):
        found = dp_audit(laplace, {"near": (0.0, 0.5), "nearer": (0.0, 0.25)}, draws=2000)
        assert list(found.results) == ["near", "nearer"]
        assert all(result.confidence == pytest.approx(1 - 0.001 / 2 / 2 / 2) for result in found.results.values())
"""


def test_several_pairs_share_the_risk(outcomes):
    run = outcomes(SEVERAL, "--dp-draws", "1000")
    run.assert_outcomes(passed=1, failed=1)
    run.stdout.fnmatch_lines(["*ClaimRefuted: on far: 1-DP is refuted*"])


SOUND_ONES = """
    def bounded(x, rng):
        return x + rng.laplace()

    def counts(X, rng):
        return X.sum(axis=0) + rng.laplace(scale=2, size=X.shape[1])

    @pytest.mark.dp_claim(1.0)
    def test_number_in_an_interval(dp_audit):
        dp_audit(bounded, (1.0, 0.0))

    @pytest.mark.dp_claim(1.0)
    def test_a_row_becomes_zero(dp_audit):
        dp_audit(lambda X, rng: X.sum(axis=0) + rng.laplace(size=X.shape[1]), (np.eye(2), np.eye(2) * [1, 0]))

    @pytest.mark.dp_claim(1.0)
    def test_one_hot(dp_audit):
        dp_audit(counts, (np.eye(9)[[0, 1]], np.eye(9)[[0, 2]]))

    @pytest.mark.dp_claim(1.0)
    def test_short_rows(dp_audit):
        def careful(X, rng):
            if np.max(np.abs(X)) > 0.5:
                raise ValueError("rows are too long")
            return X.sum() + rng.laplace()

        dp_audit(careful, (np.full((2, 1), 0.5), np.array([[0.5], [-0.5]])))
"""


def test_what_is_sound_on_its_own_domain_stands(outcomes):
    """By default nothing is tried but the pair that was given: another one may lie outside of the claim."""
    outcomes(SOUND_ONES).assert_outcomes(passed=4)


def test_lines_that_name_no_test_are_reported(outcomes, pytester):
    stale = "test_it.py::test_gone", "test_no_file.py::test_x"
    pytester.makefile(
        ".txt", known="".join(f"{node} # issue 7\n" for node in (*stale, "test_it.py::test_known[an id]"))
    )
    run = outcomes(XFAILS.format(epsilon=0.5, before=""), "--dp-xfails", "known.txt")
    run.stdout.fnmatch_lines([f"dpspectra: --dp-xfails names {node}, which is no test" for node in stale])
    assert run.stdout.str().count("which is no test") == 2
    run = outcomes(XFAILS.format(epsilon=0.5, before=""), "--dp-xfails", "known.txt", "-k", "nothing")
    assert run.stdout.str().count("which is no test") == 2, "what is deselected is still a test"


def test_samplers_are_compared(outcomes, pytester):
    """Total variation of two Laplace laws shifted by 1: ``1 - exp(-1/2) = 0.393``."""
    run = outcomes(
        """
    def shifted(x, *, size, rng):
        return 1 + laplace(x, size=size, rng=rng)

    def test_alike(dp_conforms):
        result = dp_conforms(laplace, lambda x, *, rng: rng.laplace(x), 0.0)
        assert result.draws == 3000
        assert not result.violated

    def test_different(dp_conforms):
        dp_conforms(shifted, laplace, 0.0)

    def test_close_enough(dp_conforms):
        dp_conforms(shifted, laplace, 0.0, tv_tolerance=0.4)

    def test_nothing_to_judge_from(dp_conforms):
        dp_conforms(laplace, laplace, 0.0, seconds=1e-9)

    def test_without_a_call(dp_conforms):
        pass

    @pytest.mark.dp_claim(1.0)
    def test_a_comparison_is_no_audit(dp_conforms):
        dp_conforms(laplace, laplace, 0.0, draws=300)
    """,
        "--junitxml=junit.xml",
    )
    run.assert_outcomes(passed=2, failed=4)
    text = run.stdout.str()
    assert re.search(r"ClaimRefuted: total variation at most 0 is refuted: distance is at least 0\.", text)
    assert re.search(r"witness: .*too likely on the (candidate|reference) \(\d+ times on the candidate, \d+ ", text)
    assert re.search(r"Undecided: total variation at most 0 is neither refuted nor tested", text)
    assert "must call the fixture dp_conforms that it asks for" in text
    assert "must call the fixture dp_audit or dp_inside, got no audit" in text
    assert "pytest_plugin/" not in text
    assert "audits: " not in text
    assert re.search(r"comparisons: 2 not refuted by draws; the weakest, .* refuted a loss of \d", text)
    found = [p.get("value") for p in ElementTree.parse(pytester.path / "junit.xml").iter("property")]
    assert "total variation at most 0.4" in found


def test_a_reference_that_raises_is_a_fault_of_the_test(outcomes):
    run = outcomes("""
    def raising(x):
        raise RuntimeError("out of memory")

    def test_sound(dp_conforms):
        dp_conforms(laplace, raising, 0.0)

    def test_raising_too(dp_conforms):
        dp_conforms(raising, raising, 0.0)
    """)
    run.assert_outcomes(failed=2)
    text = run.stdout.str()
    assert len(re.findall(r"^E +\S*ReferenceFailedError: .*RuntimeError: out of memory", text, re.MULTILINE)) == 2
    assert not re.search(r"^E +\S*(ClaimRefuted|Undecided)", text, re.MULTILINE)


SHARES = """
    @pytest.mark.dp_claim(1.0)
    @pytest.mark.parametrize("case", [1, 2, 3, 4])
    def test_share(dp_audit, dp_conforms, case, record_property):
        results = [dp_audit(laplace, pair, draws=300), dp_conforms(laplace, laplace, 0.0, draws=300)]
        results.append(dp_audit(laplace, pair, draws=300))
        record = [(1 - result.confidence) * {tests} for result in results]
        assert record == pytest.approx([0.02 / 2, 0.02 / 6, 0.02 / 12], rel=1e-9)
        assert len({{result.seed for result in results}}) == 3

    @pytest.mark.skip
    def test_of_a_sampler_has_a_share_too(dp_conforms):
        pass

    def test_without_an_audit():
        pass
"""


def test_the_risk_is_shared_out_over_the_tests_that_run(outcomes):
    """Shares sum to at most the risk: over tests evenly, and 1/2 + 1/6 + 1/12 + ... = 1 over a test's audits."""
    outcomes(SHARES.format(tests=5), "--dp-risk", "0.02").assert_outcomes(passed=5, skipped=1)
    run = outcomes(SHARES.format(tests=1), "--dp-risk", "0.02", "-k", "share and 3")
    run.assert_outcomes(passed=1, deselected=5)


def test_what_saw_nothing_fails(outcomes):
    run = outcomes("""
    @pytest.mark.dp_claim(1.0)
    def test_without_the_fixture():
        pass

    @pytest.mark.dp_claim(1.0)
    def test_without_a_call(dp_audit):
        pass

    @pytest.mark.dp_claim(1.0)
    def test_failing(dp_audit):
        dp_audit(lambda x: float("nan"), pair, draws=100)

    @pytest.mark.dp_claim(1.0)
    def test_skipped(dp_audit):
        pytest.skip("no time")
    """)
    run.assert_outcomes(failed=3, skipped=1)
    for message in ("must call the fixture dp_audit", "neither refuted nor tested: no output held a finite"):
        assert message in run.stdout.str()


UNREADABLE = """
    @pytest.mark.dp_claim(1.0)
    def test_opaque(dp_audit):
        def opaque(x, *, rng):
            return object() if rng.random() < 0.1 else rng.laplace(x)

        dp_audit(opaque, pair, draws=300)
"""


def test_what_could_not_be_read_is_accepted_by_name(outcomes):
    """A tenth of the outputs is an object without a state that could be looked at."""
    run = outcomes(UNREADABLE)
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        [
            "*Undecided: 1-DP is neither refuted nor tested: * % of the outputs hold * object. What to do: *. What the "
            "call itself says comes before an option."
        ]
    )
    outcomes(UNREADABLE, "--dp-accept-unread", "0.3").assert_outcomes(passed=1)


def test_too_few_draws_fail(outcomes):
    tests = """
    @pytest.mark.dp_claim(1.0)
    def test_weak(dp_audit):
        dp_audit(laplace, pair, draws=20)
    """
    run = outcomes(tests)
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*Undecided: 1-DP is neither refuted nor tested: so few draws refute nothing*"])


def test_an_audit_cannot_take_more_than_its_share(outcomes):
    run = outcomes("""
    @pytest.mark.dp_claim(1.0)
    def test_greedy(dp_audit):
        with pytest.raises(ValueError, match="confidence"):
            dp_audit(laplace, pair, confidence=0.5)
        with pytest.raises(ValueError, match="got epsilon: fix arguments of the mechanism's own beforehand"):
            dp_audit(laplace, pair, epsilon=0.5)
    """)
    run.assert_outcomes(passed=1)


def test_randomness_comes_from_the_node_id(outcomes):
    tests = """
    @pytest.mark.dp_claim(1.0)
    @pytest.mark.parametrize("case", [1, 2])
    def test_seed(dp_audit, case):
        print("seed", case, dp_audit(laplace, pair, draws=300).seed)
    """
    first, second = (outcomes(tests, "-s").stdout.str() for _ in range(2))
    seeds = dict(re.findall(r"seed (\d) (\d+)", first))
    assert len(set(seeds.values())) == 2
    assert seeds == dict(re.findall(r"seed (\d) (\d+)", second))


def test_an_audit_needs_a_claim(outcomes):
    run = outcomes("""
    def test_unmarked(dp_audit):
        dp_audit(laplace, pair)

    @pytest.mark.dp_claim
    def test_bare(dp_audit):
        dp_audit(laplace, pair)

    @pytest.mark.dp_claim(1.0, 0.1, 2)
    def test_too_much(dp_audit):
        dp_audit(laplace, pair)

    @pytest.mark.dp_claim(1.0, delta=2)
    def test_impossible(dp_audit):
        dp_audit(laplace, pair)
    """)
    run.assert_outcomes(errors=4)
    text = run.stdout.str()
    assert not re.search(r"^E +(Type|Value)Error", text, re.MULTILINE)
    for message in (
        f"test_unmarked uses dp_audit and must be marked {MARKER}",
        f"test_bare must be marked {MARKER}: the claim must be one of epsilon, mu, renyi, rho, profile, got 0 of them",
        f"test_too_much must be marked {MARKER}: claim_by() takes from 0 to 2 positional arguments but 3 were given",
        f"test_impossible must be marked {MARKER}: delta must lie in [0, 1), got 2",
    ):
        assert message in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dp-risk", "0"], "*--dp-risk must lie in (0, 1), got 0.0*"),
        (["--dp-draws", "1"], "*--dp-draws must be at least 2, got 1*"),
        (["--dp-require-power", "-1"], "*--dp-require-power must be positive and finite, got -1.0*"),
        (["--dp-require-power", "nan"], "*--dp-require-power must be positive and finite, got nan*"),
        (
            ["--dp-require-power", "much"],
            "*--dp-require-power must be a loss in nats, perhaps with @ and a class, got 'much'*",
        ),
        (["--dp-seconds", "inf"], "*--dp-seconds must be positive and finite, got inf*"),
        (["--dp-xfails", "none.txt"], "*--dp-xfails must be a readable file, got none.txt: No such file*"),
        (["--dp-xfails", "bad.txt"], "*bad.txt:1 must give a reason after ' # ', got 'test_it.py::test_known'*"),
    ],
)
def test_bad_usage(outcomes, pytester, options, message):
    pytester.makefile(".txt", bad="test_it.py::test_known\n")
    run = outcomes("", *options)
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines([message])


def test_options_and_marker_are_documented(pytester):
    text = pytester.runpytest("--help").stdout.str()
    options = ("draws", "seconds", "risk", "require-power", "accept-unread", "xfails")
    assert all(f"--dp-{option}" in text for option in options)
    pytester.runpytest("--markers").stdout.fnmatch_lines([f"@pytest.mark.{MARKER}: *"])


def test_draws_are_those_of_the_run_unless_the_test_says(pytester):
    pytester.makepyfile(
        test_it=MECHANISMS
        + """
    @pytest.mark.dp_claim(1.0)
    def test_names(dp_audit):
        assert dp_audit(laplace, pair).draws == 300
        assert dp_audit(laplace, pair, draws=400).draws == 400
    """
    )
    pytester.runpytest("--dp-draws", "300", "-W", "error", "-p", "no:cacheprovider").assert_outcomes(passed=1)


# ---------------------------------------------------------------- bad calls of the fixtures and the marker

PLUGIN = """
import functools
import pytest

calls = []

def laplace(x, *, size, rng):
    calls.append(1)
    return rng.laplace(size=size)

def two(x, y):
    calls.append(1)

class Mean:
    def __init__(self, x):
        calls.append(1)

PAIR = 0.0, 1.0
AUDITS = {audits}
COMPARISONS = {comparisons}

@pytest.mark.dp_claim(1.0)
@pytest.mark.parametrize("change", AUDITS)
def test_audit(dp_audit, change):
    dp_audit(**(dict(mechanism=laplace, pair=PAIR) | eval(change)))

@pytest.mark.parametrize("change", COMPARISONS)
def test_conforms(dp_conforms, change):
    dp_conforms(**(dict(candidate=laplace, reference=laplace, x=0.0) | eval(change)))

{marked}

def test_nothing_was_drawn():
    assert calls == []
"""
SHARED_OPTIONS = {
    "dict(draws=0)": "draws must be at least 2, got 0",
    "dict(draws='10')": "draws must be an integer, got '10'",
    "dict(draws=2.5)": "draws must be an integer, got 2.5",
    "dict(seconds=0)": "seconds must be positive and finite, got 0",
    "dict(seconds=None)": "seconds must be a real number, got None",
    "dict(snap=53)": "snap must be between 1 and 52, got 53",
    "dict(workers=-1)": "workers must be at least 1, got -1",
    "dict(rng='a')": "rng must be a numpy Generator, a non-negative seed or None, got 'a'",
    "dict(statistics=[abs])": "statistics must be a mapping",
    "dict(statistics={1: abs})": "names of statistics must be strings, got 1",
    "dict(watch=two)": "watch must take result",
    "dict(resume='r.json')": "resume must be an AuditResult or None, got 'r.json'",
    "dict(classifier='svm')": "classifier must have the methods fit and predict_proba, got 'svm'",
    "dict(confidence=0.5)": "got confidence: fix arguments of the mechanism's own",
    "dict(drawz=5)": "unexpected keyword argument 'drawz'",
}
AUDITS = SHARED_OPTIONS | {
    "dict(mechanism=None)": "mechanism must be callable, got None",
    "dict(mechanism=Mean)": "mechanism must be a function of the data set, got the class Mean",
    "dict(pair='ab')": "pair must hold two data sets, got no tuple or list, but a str",
    "dict(pair={1: 2, 3: 4})": "pairs must be a mapping from names to pairs, got another dict",
    "dict(mechanism=two)": "mechanism must take the data set as its only other argument",
    "dict(epsilon=3)": "got epsilon: fix arguments of the mechanism's own",
    "dict(pair=None)": "one of pair and search must be given, got neither",
    "dict(pair=(1.0,))": "pair must hold two data sets, got ",
    "dict(pair=(1.0, 1.0))": "pair must hold two different data sets, got the same one twice",
    "dict(support=len)": "support must take output and data",
    "dict(log_ratio=two)": "log_ratio must take output",
}
COMPARISONS = SHARED_OPTIONS | {
    "dict(candidate=3)": "candidate must be callable, got 3",
    "dict(candidate=Mean)": "candidate must be a function of the data set, got the class Mean",
    "dict(candidate=functools.partial(Mean))": "candidate must be a function of the data set, got the class Mean",
    "dict(candidate=two)": "candidate must take the data set as its only other argument",
    "dict(reference=None)": "reference must be callable, got None",
    "dict(reference=Mean)": "reference must be a function of the data set, got the class Mean",
    "dict(tv_tolerance=1)": "tv_tolerance must lie in [0, 1), got 1",
    "dict(tv_tolerance='a')": "tv_tolerance must be a real number, got 'a'",
    "dict(support=two)": "unexpected keyword argument 'support'",
}
MARKS = {
    "": "the claim must be one of epsilon, mu, renyi, rho, profile, got 0 of them",
    "()": "the claim must be one of epsilon, mu, renyi, rho, profile, got 0 of them",
    "(mu=1.0, rho=0.5)": "the claim must be one of epsilon, mu, renyi, rho, profile, got 2 of them",
    "(rho=0)": "rho must be positive and finite, got 0",
    "(mu=1.0, delta=0.1)": "delta must come with epsilon, got mu",
    "(-1)": "epsilon must be non-negative and finite, got -1",
    "('1')": "epsilon must be a real number, got '1'",
    "(None)": "the claim must be one of epsilon, mu, renyi, rho, profile, got 0 of them",
    "(1.0, 1)": "delta must lie in [0, 1), got 1",
    "(1.0, delta='a')": "delta must be a real number, got 'a'",
    "(1.0, 0.1, 3)": "takes from 0 to 2 positional arguments but 3 were given",
    "(eps=1.0)": "got an unexpected keyword argument 'eps'",
    "(1.0, tolerance=3)": "got an unexpected keyword argument 'tolerance'",
}


def test_wrong_arguments_are_told_without_our_frames(pytester):
    pytester.makepyfile("""
    import pytest


    @pytest.mark.dp_claim(1.0)
    def test_arguments(dp_audit):
        dp_audit("mechanism", (0.0, 1.0))

    @pytest.mark.dp_claim(1.0)
    def test_other(dp_inside):
        dp_inside(lambda x, a, b: x, (0.0, 1.0))
    """)
    run = pytester.runpytest("-p", "no:cacheprovider", "-p", "no:randomly")
    run.assert_outcomes(failed=2)
    assert "must be callable, got 'mechanism'" in run.stdout.str()
    assert "dpspectra/" not in run.stdout.str().partition("= FAILURES")[2]


def test_a_call_that_lacks_an_argument_is_told_its_form(pytester):
    pytester.makepyfile("""
    import pytest

    @pytest.mark.dp_claim(1.0)
    def test_inside(dp_inside):
        dp_inside(abs)

    def test_conforms(dp_conforms):
        dp_conforms(abs, abs)
    """)
    run = pytester.runpytest("-p", "no:cacheprovider", "-p", "no:randomly")
    run.assert_outcomes(failed=2)
    for form, lacking in (("dp_inside(mechanism, pair)", "pair"), ("dp_conforms(candidate, reference, x)", "x")):
        told = f"the call must be {form}, options by name, but it has a fault: missing a required argument: '{lacking}'"
        assert told in run.stdout.str()


def test_the_plugin_refuses_in_one_line(pytester):
    """One inner run of many bad tests, whose reports are looked at one by one."""
    marked = "\n\n".join(
        f"@pytest.mark.dp_claim{mark}\ndef test_mark_{i}(dp_audit):\n    dp_audit(laplace, PAIR)"
        for i, mark in enumerate(MARKS)
    )
    pytester.makepyfile(PLUGIN.format(audits=[*AUDITS], comparisons=[*COMPARISONS], marked=marked))
    found = pytester.inline_run("-p", "no:cacheprovider", "-p", "no:randomly", "--tb=line")
    expected = [*AUDITS.values(), *COMPARISONS.values(), *MARKS.values()]
    reports = [report for report in found.getreports("pytest_runtest_logreport") if report.failed]
    assert len(reports) == len(expected)
    for report, text in zip(reports, expected, strict=True):
        message = report.longrepr.reprcrash.message
        kind, _, line = message.partition(": ")
        assert text in line, report.nodeid
        assert kind in ("ValueError", "TypeError", "Failed"), message
        assert ("argument" in text and "must be" not in line) or " must " in line
        assert len(line.splitlines()) == 1
    assert found.countoutcomes() == [1, 0, len(expected)]


def test_noise_is_followed_inside(outcomes):
    found = outcomes(
        """
    import pytest
    from dpspectra.pytest_plugin import ClaimRefuted, Undecided

    def noisy(x, rng):
        return x + rng.laplace(scale=2.0)

    def squared(x, rng):
        return f"{x + rng.laplace(scale=0.5):.2f}"

    @pytest.mark.dp_claim(0.5)
    def test_sound(dp_inside):
        assert dp_inside(noisy, (0.0, 1.0)).verdict == "explained"

    @pytest.mark.dp_claim(0.4)
    def test_broken(dp_inside):
        with pytest.raises(ClaimRefuted, match="noise: test_it.py:"):
            dp_inside(noisy, (0.0, 1.0))

    @pytest.mark.dp_claim(0.5)
    def test_undecided(dp_inside):
        with pytest.raises(Undecided, match="looked at before the output") as met:
            dp_inside(squared, (0.0, 1.0))
        assert "next: audit its outputs by draws: dp_audit(mechanism, pair) in place of dp_inside" in str(met.value)

    @pytest.mark.dp_claim(1.0)
    def test_witness(dp_inside, request):
        with pytest.raises(ClaimRefuted, match="witness: output = "):
            dp_inside(lambda p, rng: int(rng.choice(2, p=p)), ([0.5, 0.5], [0.1, 0.9]))
        said = dict(request.node.user_properties)
        assert said["dp_lines"].startswith("test_it.py:")
        assert said["dp_witness"].startswith("output = 0: its probability is 0.5")

    @pytest.mark.dp_claim(0.5)
    def test_first_inside(dp_audit):
        assert dp_audit(noisy, (0.0, 1.0)).verdict == "explained"

    @pytest.mark.dp_claim(0.5)
    def test_then_outside(dp_audit):
        dp_audit(lambda x, rng: f"{x + rng.laplace(scale=4.0):.0f}", (0.0, 1.0), draws=500)
    """,
        "--dp-inside",
    )
    found.stdout.fnmatch_lines(
        ["audits: 2 explained from inside, 2 refuted as expected, 1 exceeded as expected, 1 not refuted by draws; *"]
    )
    found.assert_outcomes(passed=6)


def test_a_test_that_catches_the_refutation_fails(outcomes):
    found = outcomes(
        """
    import pytest

    @pytest.mark.dp_claim(1.0)
    def test_swallowed(dp_audit):
        try:
            dp_audit(lambda x: x, (0, 1))
        except Exception:
            pass

    @pytest.mark.dp_claim(1.0)
    def test_expected(dp_audit):
        with pytest.raises(AssertionError, match="refuted"):
            dp_audit(lambda x: x, (0, 1))
    """
    )
    found.assert_outcomes(failed=1, passed=1)
    found.stdout.fnmatch_lines(["*ClaimRefuted*", "audits: 1 refuted as expected"])
