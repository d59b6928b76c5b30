"""What is told of a statement: its words, its parts, where it stands, and how it looks on a terminal."""

import json
import re

import pytest

from dpspectra import cli
from dpspectra.ledger import notes, words
from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import PAPERS, labels, resolve
from dpspectra.ledger.plain_formulas import formula, markdown
from dpspectra.ledger.registry import all_statements, get, supports
from dpspectra.ledger.show import describe, described
from dpspectra.ledger.terminal import blocks, render
from tests.support.helpers import ROOT

SHOWN = ("MWKTV-T2.4", "JXZ-T4", "HP-T1.3", "MWKTV-L8.2", "HR-T2.6", "JXZ-D3", "HP-C4.3", "DPS-CFTP", "MWKTV-L9.2")


def output(capsys, *command):
    assert cli.run([*command]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "label"),
    [
        *((name, "MWKTV-T2.4") for name in ("MWKTV-T2.4", "mwktv-t2.4", " Mwktv-T2.4 ")),
        *((name, "MWKTV-L8.2") for name in ("L8.2", "Lemma 8.2", "lemma8.2", "MWKTV lemma 8.2")),
        *((name, "JXZ-T4") for name in ("Theorem 4", "jxz theorem 4", "JXZ Thm. 4")),
        *((name, "MWKTV-E35") for name in ("(35)", "eq. (35)", "Equation 35", "mwktv eq35")),
        *((name, "JXZ-T4-R1") for name in ("JXZ T4 R1", "jxzt4-r1")),
        ("t4-x", "JXZ-T4-X"),
        *((name, "JXZ-T4") for name in ("T4 of JXZ", "theorem 4 in jxz")),
        *((name, "MWKTV-S4.3") for name in ("Section 4.3", "Section 4.3, small examples")),
        ("RANK", "DPS-RANK"),
    ],
)
def test_a_label_is_found_in_either_case_and_by_its_end_or_number(name, label):
    assert resolve(name).label == label


def test_every_label_is_found_by_itself():
    assert all(resolve(entry.label) is entry and resolve(entry.label.lower()) is entry for entry in labels())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("T2.4", "which may be MWKTV-T2.4, HP-T2.4, HR-T2.4"),
        ("rank", "near it are DPS-RANK (the ranks of noise"),
        ("rank", "MWKTV-T2.3"),
        ("Section 4.1", "which may be MWKTV-O4.1, MWKTV-O4.2"),
        ("section 2.1", "near it are "),
        ("Remark after Corollary 2.5", "which may be MWKTV-R2.3a, MWKTV-R2.3b, MWKTV-R2.3c"),
        ("after Corollary 2.5", "near it are MWKTV-R2.3a"),
        ("35", "near it are MWKTV-E35"),
        *((name, "near it are JXZ-T4-R2") for name in ("JXZ-T4-R", "jxz-t4-r9")),
        ("eq 35b", "dpspectra paper with one of MWKTV, JXZ,"),
        ("", "dpspectra paper with one of MWKTV, JXZ,"),
        ("Levy", "near it are HR-TB.1"),
        ("svd", "JXZ-T9"),
        ("MWKTV-T24", "near it are MWKTV-T2.4"),
        ("mwkvt-t2.4", "near it are MWKTV-T2.4"),
        ("xyzzy", "dpspectra paper with one of MWKTV, JXZ,"),
        ("Lemma 2.2", "MWKTV-T2.2 (private orbit optimisation: utility of Algorithm 1), HP-K2.2"),
        ("sin-theta", "MWKTV-L8.2 (sin-Theta theorem)"),
        ("mechanism gaussian", "JXZ-T2 (Gaussian mechanism for small epsilon)"),
        ("Clopper", "DPS-CP (Clopper and Pearson's limits"),
        ("packing", " more: name a further word"),
        ("hr", "HR is a paper: dpspectra paper HR lists its statements, dpspectra verify takes --paper HR"),
    ],
)
def test_other_names_are_refused_with_those_near_them(name, told, capsys):
    with pytest.raises(ValueError, match="expected a label of the ledger") as error:
        resolve(name)
    assert told in str(error.value)
    assert cli.run(["show", name]) == 2
    assert told in capsys.readouterr().err


def test_what_rests_on_what_is_read_as_it_is_declared():
    assert supports() == {e.id: tuple(dict.fromkeys(get(u).id for u in e.uses)) for e in all_statements()}


def test_every_entry_has_its_section_and_the_broken_ones_their_printed_form():
    for entry in all_statements():
        section = notes.section(entry.note)
        assert section, entry.id
        assert all(part.lead and part.text for part in section), entry.id
        if "as_printed" in entry.verdict.demands:
            assert words.told(section, words.PRINTED), entry.id
        if entry.verdict.demands > {"fast", "as_printed"}:
            assert words.told(section, words.OURS), entry.id
        if entry.verdict in (Verdict.PROOF_GAP, Verdict.OPEN):
            assert words.told(section, words.DIFFERENCE), entry.id


def test_a_section_ends_at_the_next_heading():
    (first, *_, last) = notes.section("lower_bounds.md#the-lower-bound-as-printed")
    assert first.lead == "What was printed"
    assert first.text.startswith("For every $`\\varepsilon>0`$")
    assert last.lead == "Where the printed proof breaks"
    assert "#" not in last.text
    assert notes.section("lower_bounds.md#no-such-heading") == ()
    assert notes.section("no_such_page.md#heading") == ()


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (["sub", "1", ["exp", "-1/3"]], "1 - exp(-1/3)"),
        (["mul", ["add", "1", "2"], ["neg", "3"]], "(1 + 2) * (-3)"),
        (["div", "1/2", "1/4"], "1/2 / (1/4)"),
        (["div", "1", ["mul", "2", ["pi"]]], "1 / (2 * pi)"),
        (["sub", "1", ["sub", "2", "3"]], "1 - (2 - 3)"),
        (["add", "1", "-1/2"], "1 + (-1/2)"),
        (["neg", ["add", "1", "2"]], "-(1 + 2)"),
    ],
)
def test_a_certificate_reads_as_an_inequality(tree, text):
    assert words.formula(tree) == text


@pytest.mark.parametrize("label", [e.id for e in all_statements() if "certificate" in e.faces])
def test_the_text_of_a_certificate_has_its_value(label):
    """The words are Python's own notation: their value in floats lies in the enclosures, up to rounding."""
    import math
    from fractions import Fraction

    from dpspectra.ledger.certificate import check

    data = get(label).faces["certificate"]()
    checked = check(data)
    cdf = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    known = {"exp": math.exp, "log": math.log, "sqrt": math.sqrt, "normal_cdf": cdf, "pi": math.pi}
    for tree, interval in ((data["greater"], checked.greater), (data["lesser"], checked.lesser)):
        value = eval(words.formula(tree), {"__builtins__": {}}, known)
        assert value == pytest.approx(float(interval.low), rel=1e-6, abs=1e-12)
        low, high = map(Fraction, words.ends(interval, 15))
        assert low <= interval.low <= interval.high <= high


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\tfrac{d}{\max(\lambda_1^2\varepsilon,d)}", "d/(max(λ_1^2ε,d))"),
        (r"\lVert M-\mathcal A(M)\rVert_F^2\le c\log d", "‖M-A(M)‖_F^2 ≤ c log d"),
        (r"\tfrac12\sqrt{p+1}", "(1/2)√(p+1)"),
        (r"\tfrac k{\varepsilon^2}+\frac{2C}\varepsilon", "k/(ε^2)+2C/ε"),
        (r"\arcsin\tfrac{2\nu}{b}+\tfrac{\sigma_k}{g}\log d", "arcsin((2ν)/b)+(σ_k/g) log d"),
        (r"R^{-m_0}+\frac\pi2", "R^(-m_0)+π/2"),
        (r"\sqrt p\in\mathcal O_\Lambda", "√p ∈ O_Λ"),
        (r"f=1,\qquad g=0\quad h>0 .", "f=1, g=0, h>0."),
        (r"x=\beta\quad\text{at}\quad r< b\qquad(d=2)", "x=β at r<b (d=2)"),
        (r"\lVert\hat W-\tilde\lambda\rVert\lesssim\varrho", "‖Ŵ-λ̃‖ ≲ ρ"),
        (r"\begin{pmatrix}0&M\\M^\top&0\end{pmatrix}", "(0 M; M^ᵀ 0)"),
        (r"e^{-\mathrm{tr}(C^{-1}W)}\,\mathbb Es(Q)", "e^(-tr(C^-1 W)) E s(Q)"),
        (r"\frac14/\frac34", "(1/4)/(3/4)"),
        (r"\rho\le\mathrm{gap}", "ρ ≤ gap"),
    ],
)
def test_formulas_in_plain_letters(latex, text):
    assert formula(latex) == text


def test_markdown_in_plain_letters():
    assert markdown("*Ties.* See [the note](a.md#b): $`\\theta^*`$ and `x`, **$`a`$ too.**") == (
        "Ties. See the note: θ^* and x, a too."
    )


TEXTS = (
    "accounting|argument|bound|case|claim|display|example|form|lemma|method|profile|proof|remark|section|table|theorem"
)
FAULTS = {
    "two signs of punctuation": r"[,;:]\s*[,;:]|[,;:]\.(?!\.)",
    "a blank before punctuation or within brackets": r"\s[,;:.)\]](?=\s|$)|[(\[]\s",
    "two blanks": r"\s\s",
    "LaTeX or Markdown": (
        r"[\\`]|\*\*[A-Z]|\|--|\bVert\b|\b[lr](?:Vert|angle)|\b[dt]?frac\b|q?quad\b|varrho|mathbb|\bbegin\("
    ),
    "another place of the page": (
        rf"(?<!from )(?<!just )\b(?:above|below)(?=[.,;:)])|\b(?:{TEXTS}) (?:above|below) (?=[a-z]{{2}})"
        r"|\bas above\b|just proved|earlier version"
        r"|\b(?:previous|preceding|next|last) (?:page|paragraph|section)|[.:] (?:Above|As before|Below),"
    ),
}
HEAD = r"^(?:Rests on|On it rest|[A-Z]+-[\w.-]+) +"
NOTHING_COMPUTED = {
    name: lambda value=value: value
    for name, value in {"counterexample": None, "certificate": None, "tight": [], "parts": [], "beyond": {}}.items()
}


def faults(text):
    """What is wrong with a text for a terminal, each with the words around it."""
    flat = " ".join(re.sub(HEAD, "", line.strip()) for line in text.splitlines() if line.strip())
    return [
        (what, flat[max(m.start() - 40, 0) : m.end() + 20]) for what in FAULTS for m in re.finditer(FAULTS[what], flat)
    ]


def test_every_label_is_shown_in_clean_words(monkeypatch):
    """All but the numbers, which take minutes; what is said beside these is looked at as it stands."""
    monkeypatch.setattr("dpspectra.ledger.show._computed", lambda entry: NOTHING_COMPUTED)
    wrong = {}
    for listed in labels():
        entry = get(listed.label)
        reasons = [slack.reason for slack in entry.slack.values()]
        if "certificate" in entry.faces:
            reasons.append(entry.faces["certificate"]()["reason"])
        shown = render(describe(listed.label)).partition("\nCode  ")[0]
        if found := faults("\n".join([shown, *reasons])):
            wrong[listed.label] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,, b", "two signs of punctuation"),
        ("a ,\n  , b", "two signs of punctuation"),
        ("x  y", "two blanks"),
        ("E[K] .", "a blank before punctuation or within brackets"),
        ("|langlev,w|", "LaTeX or Markdown"),
        ("see the exact profile\n  below.", "another place of the page"),
        ("with s of the previous section", "another place of the page"),
    ],
)
def test_an_unclean_text_is_seen(text, what):
    assert what in dict(faults(text))


def test_the_words_are_printed_before_any_evidence_is_computed(monkeypatch, capsys):
    """What is shown first, for every label, needs no face of it; the evidence follows."""

    def computed(entry):
        raise ArithmeticError(capsys.readouterr().out)

    faces = "counterexample", "certificate", "tight", "parts", "beyond"
    monkeypatch.setattr(
        "dpspectra.ledger.show._computed", lambda entry: {name: lambda: computed(entry) for name in faces}
    )
    for listed in labels():
        entry = get(listed.label)
        with pytest.raises(ArithmeticError) as error:
            cli.run(["show", listed.label])
        text = str(error.value)
        assert text.startswith(f"{listed.label}  ")
        assert f"\n\n{entry.verdict.value.upper()}. " in text


def test_blocks_are_the_text_and_ask_for_nothing_twice():
    data = described("JXZ-T4")
    text = "\n\n".join(blocks(data))
    assert text == render(describe("JXZ-T4"))
    assert dict(data) == describe("JXZ-T4")
    assert len(data) == len(describe("JXZ-T4"))
    assert data["tight"] is data["tight"]


@pytest.mark.parametrize("label", SHOWN)
def test_show_fits_100_columns_and_has_words_first(label):
    data = describe(label)
    text = render(data)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith(f"{label}  {data['title']}"[:100])
    assert data["meaning"].split()[0] in text
    if "\\" in data["claim"]:
        assert text.index(data["verdict"].upper()) < text.index("In LaTeX")
        assert "\\" not in text[: text.index("In LaTeX")].replace("∖", "")


def test_show_names_parameters_and_both_enclosures(capsys):
    text = output(capsys, "show", "mwktv-t2.4")
    for told in (
        "MWKTV-T2.4  Theorem 2.4: error lower bound",
        "REFUTED. False as printed",
        "The same statement as MWKTV-E60, MWKTV-E61, MWKTV-E62, MWKTV-E63.",
        "share   = 9.5367431640625e-7",
        "epsilon = 32.0",
        "1/1048576 * 2 / 32 > 8 / 78962960182680",
        "left side in [5.96046447753906e-8, 5.96046447753907e-8]",
        "Tight: success probability",
        "at solid = octahedron, spread = 1.0",
        "arXiv:2207.02794",
    ):
        assert told in text, told


def test_a_record_names_its_fields_and_numbers_among_many_have_six_digits(capsys):
    text = " ".join(output(capsys, "show", "HR-T4.2").split())
    assert "noise = 9.31322574615479e-10, large = (first=17179869184.0, rest=1.0, rows=16777216, width=3)" in text
    assert "Code dpspectra/lemmas/range_finding/error_printed.py" in text
    data = describe("HP-C4.3")
    text = " ".join(render(data).split())
    assert re.search(r"case = \[\[\(frame=\[\[0\.\d{6}, ", text)
    assert not re.search(r"\d\.0*[1-9]\d{6}", text.partition("case = ")[2].partition("private")[0])
    assert re.search(r"frame=\[\[0\.\d{7,}, ", data["parts"][0]["parameters"]["case"]), "JSON has all digits"


def test_each_part_is_shown_where_its_sides_are_closest(capsys):
    data, seen = describe("HR-L4.6"), {}
    for number, case in enumerate(data["tight"], 1):
        for outcome in case["oracle"]:
            left, right = float(outcome["left"]), float(outcome["right"])
            seen.setdefault(outcome["part"], []).append((1 - left / right if left != right else 0.0, number))
    for row in data["parts"]:
        gap, number = min(seen[row["part"]])
        assert row["instance"] == number
        assert row["tight"] == (gap < 0.01)
        assert row["parameters"] == data["tight"][number - 1]["parameters"]
    text = output(capsys, "show", "HR-L4.6")
    assert "Tight: shift of the output\n" in text
    assert "Closest: smallest noise\n" in text
    assert text.count("\n  at ") == len(data["parts"])


def test_the_description_is_json_and_says_what_rests_on_what():
    data = describe("JXZ-T4")
    assert "partial(" not in str(data), "a face without words has none of its class"
    assert json.loads(json.dumps(data)) == data
    assert data["title"] == "Theorem 4: Wishart mechanism is (eps,0)-DP"
    assert data["counterexample"]["parameters"] == {"d": "3", "n": "1", "epsilon": "1.0"}
    assert data["uses"] == {"JXZ-A2": "definition"}
    assert "JXZ-T4" in describe("JXZ-A2")["used_by"]
    assert data["printed"]
    assert data["difference"]


def test_the_wording_of_the_paper_is_shown_before_our_words(capsys):
    text = output(capsys, "show", "JXZ-T4")
    assert "The paper says\n  The Wishart mechanism of Algorithm 2 is (ε,0)-DP.\n" in text
    reading = " ".join(output(capsys, "show", "HP-LA.2").split())
    assert "The printed formula is not at hand: the verdict is on the reading that is quoted." in reading
    assert "The paper says Not at hand; read as: max_ℓ‖U" in reading
    assert "The paper says" not in output(capsys, "show", "MWKTV-T2.4R")


def test_a_counterexample_is_shown_with_the_printed_hypotheses_that_it_meets(capsys):
    data = describe("MWKTV-E39")
    assert data["counterexample"]["hypotheses"].keys() == {"|P - I_1| <= omega / 2 lambda_1", "the values descend"}
    assert "within the printed hypothesis 'the values descend': -15.0 <= 1.0" in output(capsys, "show", "MWKTV-E39")
    step = output(capsys, "show", "HR-Fig4")
    assert "A step of the printed proof fails at\n" in step
    assert "The printed form fails at" not in step


def test_a_number_that_no_instance_would_miss_is_named_with_the_reason(capsys):
    assert describe("MWKTV-E50")["unnoticed"][""] == {"s": "equality only for two points"}
    text = " ".join(output(capsys, "show", "MWKTV-E50").split())
    assert "would notice another dependence on epsilon, places, s: equality only as epsilon tends to 0," in text
    assert "would notice another dependence on s: equality only for two points" in text
    assert "no chosen instance" not in output(capsys, "show", "MWKTV-COUNT")


def test_long_fractions_are_shown_as_decimals(capsys):
    text = output(capsys, "show", "DPS-COLUMNS")
    assert "0.999999999999995 <= 1  (float64)" in text
    assert max(len(digits) for digits in re.findall(r"\d+", text)) <= 20


def test_every_verdict_has_words():
    assert words.MEANING.keys() == set(Verdict)
    assert words.title("", "exact profile") == "Exact profile"


@pytest.mark.parametrize("key", ["MWKTV", "JXZ", "HP", "HR", "AFTER", "DPS"])
def test_paper_shows_whole_titles_in_100_columns(capsys, key):
    text = output(capsys, "paper", key)
    assert max(map(len, text.splitlines())) <= 100
    flat = " ".join(text.split())
    listed = [entry for entry in labels() if entry.paper == key]
    assert all(" ".join(entry.name.split()) in flat for entry in listed)
    verdicts = {row["label"]: row["verdict"] for row in json.loads(output(capsys, "paper", key, "--json", "-"))}
    assert verdicts == {entry.label: get(entry.label).verdict.value for entry in listed}


def test_the_readme_has_the_references_of_the_ledger_and_commands_that_run(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 110
    for key, reference in PAPERS.items():
        for found in re.findall(r"arXiv:[\d.]+\d|(?<=doi:)[^,]+", reference):
            assert found in text, f"{key}: {found}"
            assert found in citation, f"{key}: {found}"
        for year in re.findall(r"\b20\d\d\b(?=,)", reference):
            assert f"year: {year}" in citation
    told = re.findall(r"`dpspectra ((?:show|paper) [A-Z]{2,5}(?:-[\w.]+)?)`", text)
    assert {command.split()[0] for command in told} == {"show", "paper"}
    assert all(output(capsys, *command.split()) for command in told)


def test_the_wheel_ships_the_notes_where_they_are_looked_for():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"proofs_notes" = "dpspectra/notes"' in project
    assert notes.where() == "proofs_notes"
    assert all((ROOT / notes.where() / entry.note.split("#")[0]).is_file() for entry in all_statements())


def test_a_single_label_stands_with_no_other():
    assert "The same statement as" not in render(describe("MWKTV-E20"))
    assert "The same statement as HR-T2.6." in render(describe("HR-TA.1"))
