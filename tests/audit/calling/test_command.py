"""Programs under audit: the examples in other languages, and the command line.

Seeds are fixed. With fresh ones a sound mechanism below would be refuted with probability at most 0.001, and one that
is refuted would be missed less often than that.
"""

import json
import math
import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest

from dpspectra.audit import audit, conforms
from dpspectra.audit.adapters import from_command
from dpspectra.audit.calling.command import _identity
from dpspectra.audit.calling.program import Greeting, ProtocolError
from dpspectra.cli import run
from tests.support.programs import ANSWERS, EXAMPLES, GREETINGS, NUMBERS, SCORES, fake, kinds, says, scripted, shell


@pytest.fixture(scope="module")
def response():
    script = str(EXAMPLES / "response.awk")
    if shutil.which("gawk"):
        return ["gawk", "-f", script]
    return ["mawk", "-W", "interactive", "-f", script] if shutil.which("mawk") else pytest.skip("there is no awk")


@pytest.fixture(scope="module")
def argmax():
    return [shutil.which("perl") or pytest.skip("there is no perl"), str(EXAMPLES / "argmax.pl")]


# ---------------------------------------------------------------- the examples


def test_noise_in_c_is_refuted_below_its_loss_only(laplace):
    with from_command([laplace, "0.5"], NUMBERS) as mechanism:
        assert (mechanism.most_rows, mechanism.independent_rows) == (32768, True)
        refuted = audit(mechanism, NUMBERS, 1.0, draws=5000)
        assert refuted.violated
        assert refuted.seeded
        assert refuted == audit(mechanism, NUMBERS, 1.0, draws=5000)
        assert not audit(mechanism, NUMBERS, 2.0, draws=5000).violated


def test_answers_in_awk_are_refuted_below_their_loss_only(response):
    with from_command(response, NUMBERS) as mechanism:
        assert mechanism.independent_rows
        assert set(mechanism(0, size=100, seed=1)) == {"yes", "no"}

        def numbers(data, *, size, seed):
            return [float(answer == "yes") for answer in mechanism(data, size=size, seed=seed)]

        assert audit(numbers, NUMBERS, 0.8, draws=10_000).violated
        assert not audit(numbers, NUMBERS, math.log(3), draws=10_000).violated


def test_awk_uses_its_seeds(response):
    """In one mawk a seed that was not made a number beforehand gave two different answers in all."""
    with from_command(response, NUMBERS) as mechanism:
        answers = {tuple(mechanism(0, size=64, seed=seed)) for seed in range(0, 2**31, 2**25)}
        assert len(answers) == 2**6
        assert mechanism(0, size=64, seed=3) == mechanism(0, size=64, seed=3)


def test_a_choice_in_perl_stands_at_its_exact_loss_though_it_fails_at_times(argmax):
    with from_command(argmax, SCORES) as mechanism:
        assert not mechanism.independent_rows
        counts = {kind: kinds(mechanism, 1000, SCORES[0]).count(kind) for kind in ("red", "green", "blue", "Overflow")}
        assert sum(counts.values()) == 1000
        assert 1 <= counts["Overflow"] <= 30
        assert abs(counts["red"] / 990 - math.e / (math.e + 2)) < 5 * 0.5 / math.sqrt(990)

        def numbers(data, *, seed):
            return float(["red", "green", "blue"].index(mechanism(data, seed=seed)))

        sound = audit(numbers, SCORES, 1.0, draws=2000)
        assert not sound.violated
        assert sound.failures > 0
        assert audit(numbers, SCORES, 0.5, draws=2000).violated


def test_json_and_float64_say_the_same(laplace):
    with from_command([laplace, "2"], NUMBERS) as mechanism:
        raw = {size: mechanism(1, size=size, seed=7) for size in (1, 5, 32768)}
        mechanism.program._greeting = Greeting(mechanism.name, 32768, False, True, True)
        for size, numbers in raw.items():
            assert numbers.dtype == np.float64
            assert numbers.tolist() == mechanism(1, size=size, seed=7)


def test_every_example_is_documented_and_says_how_to_run_it():
    pages = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in EXAMPLES.iterdir() if path.suffix != ".py" and path.is_file()} - {"README.md"}
    assert names == {"laplace.c", "response.awk", "argmax.pl"}
    for name in names:
        assert name in pages
        head = (EXAMPLES / name).read_text(encoding="utf-8")[:1000]
        assert "dpspectra audit --command" in head


# ---------------------------------------------------------------- the command line


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.json").write_text('{"first": 0, "second": 1}')
    return tmp_path


def asked(command, *options):
    return run(["audit", "--command", command, "--pair", "pair.json", *options])


def test_a_program_is_audited_from_the_command_line(here, laplace, capsys):
    command = f"{laplace} 0.5"
    assert asked(command, "--epsilon", "1", "--json", "r.json", "--junit", "r.xml", "--html", "r.html") == 1
    assert re.search(r"verdict +refuted\n", capsys.readouterr().out)
    record = json.loads((here / "r.json").read_text())
    assert record["subject"]["command"] == command
    assert record["subject"]["program"] == "Laplace noise in C"
    assert "<failure" in (here / "r.xml").read_text()
    assert "<svg" in (here / "r.html").read_text()
    assert run(["audit", "--check", "r.json"]) == 1
    assert asked(command, "--epsilon", "2", "--draws", "1000", "--json", "s.json") == 0
    assert asked(command, "--resume", "s.json", "--draws", "1000", "--json", "s.json") == 0
    assert json.loads((here / "s.json").read_text())["draws"] == 2000
    assert asked(f"{laplace} 0.6", "--resume", "s.json") == 2
    assert "must be about this mechanism" in capsys.readouterr().err


def test_a_program_is_told_the_data_sets_of_the_audit(laplace):
    """Without a pair of its own; a comparison has one input, which is both."""
    command = from_command([laplace, "0.5"])
    assert audit(command, NUMBERS, 1.0).violated
    assert not audit(command, NUMBERS, 2.0, draws=2000).violated
    with pytest.raises(ProtocolError, match="must be told its data sets"):
        command(0)

    def reference(x, *, size, rng):
        return x + rng.laplace(scale=0.5, size=size)

    assert not conforms(command, reference, 3, draws=2000).violated
    assert conforms(from_command([laplace, "0.7"]), reference, 3, draws=20_000).violated


def test_a_program_is_compared_with_a_reference(laplace, here, capsys):
    (here / "laws.py").write_text("def noise(x, *, size, rng):\n    return x + rng.laplace(scale=0.5, size=size)\n")
    order = ["conform", "laws:noise", "--at", "3", "--draws", "20000", "--independent", "--json", "r.json"]
    for scale, status in (("0.5", 0), ("0.6", 1)):
        command = f"{shlex.quote(str(laplace))} {scale}"
        assert run([*order, "--command", command]) == status
        record = json.loads((here / "r.json").read_text(encoding="utf-8"))
        assert record["subject"]["command"] == command
        assert record["rows"] == "independent"
    assert run([*order, "laws:noise"]) == 0
    assert run([*order, "laws:noise", "--command", "x"]) == 2
    assert "the candidate must be package.module:callable or --command, got 2" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(order)
    assert "required: package.module:callable" in capsys.readouterr().err


def test_the_file_of_the_pair_is_told_as_it_stands(here):
    (here / "pair.json").write_text('{"first": {"ä": [[1, 2], 3]}, "second": {"ä": [1, 2.5], "x": null}}')
    source = 'open("told", "w", encoding="utf-8").write(sys.stdin.buffer.readline().decode())\nprint("[]", flush=True)'
    assert asked(shlex.join(scripted(here / "told.py", source)), "--epsilon", "1") == 2
    told = '{"hello":1,"first":{"ä":[[1,2],3]},"second":{"ä":[1,2.5],"x":null}}\n'
    assert (here / "told").read_text(encoding="utf-8") == told


def statuses(lines):
    """Exit statuses of the audits among some commands, and those promised beside; absent programs are left out."""
    found = []
    for line in lines:
        command = shlex.split(line.split("  ")[0])
        if command[:2] == ["dpspectra", "audit"] and shutil.which(shlex.split(command[3])[0]):
            found.append((run([*command[1:], "--draws", "4000"]), int("not refuted" not in line)))
    return found


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("laplace.c", ["cc"]),
        ("response.awk", ["gawk", "mawk"]),
        ("argmax.pl", ["perl"]),
    ],
)
def test_an_example_does_what_its_head_says(here, name, tools):
    if not any(map(shutil.which, tools)):
        pytest.skip(f"there is no {tools[0]}")
    shutil.copy(EXAMPLES / name, here)
    head = (here / name).read_text(encoding="utf-8").splitlines()[:12]
    lines = [re.sub(r"^[#*\s]*", "", line) for line in head if re.match(r"[#\s*]*(cc|echo|dpspectra) ", line)]
    for line in lines:
        if not line.startswith("dpspectra"):
            subprocess.run(line, shell=True, check=True, cwd=here)
    found = statuses(lines)
    assert found
    assert all(status == promised for status, promised in found)


def test_the_example_of_the_readme_runs(here):
    shutil.which("cc") or pytest.skip("there is no C compiler")
    shutil.copy(EXAMPLES / "laplace.c", here)
    (command,) = re.findall(r"`(dpspectra audit --command .*?)`", (EXAMPLES.parent / "README.md").read_text("utf-8"))
    blocks = re.findall(r"```\n(cc .*?)```", (EXAMPLES / "README.md").read_text("utf-8"), re.DOTALL)
    (section,) = [block for block in blocks if command in block]
    *prepared, audited = section.splitlines()
    for line in prepared:
        subprocess.run(line, shell=True, check=True, cwd=here)
    assert statuses([audited]) == [(1, 1)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--command", "x"], "--command must come with --pair"),
        (["a:b", "--command", "x", "--pair", "pair.json"], "must come without a mechanism and --with"),
        (["--command", "x", "--pair", "pair.json", "--with", "a=1"], "must come without a mechanism and --with"),
        (["--command", "x", "--pair", "pair.json", "--search", "replace"], "--search finds the pair itself"),
        (["--command", "", "--pair", "pair.json"], "command must name a program, got nothing"),
        (["--command", "./none", "--pair", "pair.json"], "./none must be a program that can be run, got [Errno 2]"),
        (["--command", "false", "--pair", "pair.json"], "false must greet, got exit status 1"),
        (["--command", "echo hi", "--pair", "pair.json"], "echo must answer with a line of JSON, got b'hi'"),
    ],
)
def test_bad_usage_and_strange_programs_are_one_line_and_2(here, capsys, options, message):
    assert run(["audit", *options, "--epsilon", "1"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_answer_out_of_line_ends_an_audit(here, capsys):
    command = shlex.join(shell(says('{"id":0,"outputs":[1]}')))
    assert asked(command, "--epsilon", "1", "--draws", "8") == 2
    assert "sh must repeat the id" in capsys.readouterr().err


WAYS = [(shell("exit", greeting), message) for greeting, message in GREETINGS]
WAYS += [(fake(answer), message) for answer, message in ANSWERS]
"""Programs that misbehave, and what of the message says how."""


@pytest.mark.parametrize(("program", "message"), WAYS, ids=[message for _, message in WAYS])
def test_a_program_that_misbehaves_is_one_line_and_2(here, capsys, program, message):
    assert asked(shlex.join(program), "--epsilon", "1", "--draws", "8") == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1


def test_equal_data_sets_of_objects_are_known_to_be_equal():
    """By value: their bytes are addresses."""
    one, other = (np.array([text, None], dtype=object) for text in ("".join(["a", "b"]), "ab"))
    assert _identity(one) == _identity(other)
    assert _identity(np.eye(2)) == _identity(np.eye(2)) != _identity(np.ones((2, 2)))
