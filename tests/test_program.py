"""Programs in other languages under audit: the examples, the line protocol, and what becomes of those who break it.

Seeds are fixed. With fresh ones a sound mechanism below would be refuted with probability at most 0.001, and one that
is refuted would be missed less often than that.
"""

import concurrent.futures
import copy
import gc
import inspect
import json
import math
import os
import pathlib
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpspectra.audit import audit, child, conforms, program
from dpspectra.audit.adapters import from_command
from dpspectra.audit.program import Greeting, ProgramError, ProtocolError, decoded, encoded, text_of
from dpspectra.cli import run

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
NUMBERS = (0, 1)
SCORES = ([1, 0, 0], [0, 1, 0])
GREETING = '{"hello":1,"seeded":true}'
WAIT = 0.3
"""Seconds that a program is given in the tests in which it says nothing; far more than a shell takes to greet."""


def shell(answer, greeting=GREETING):
    """A program in a few words: what it says first, and what it does at each request, whose number is ``$id``."""
    parsed = 'id=${line#*:}; id=${id%%,*}; seed=${line#*seed\\":}; seed=${seed%%,*}'
    loop = f"while read -r line; do case $line in *bye*) exit;; esac; {parsed}; {answer}; done"
    return ["sh", "-c", f"read -r hello; echo '{greeting}'; {loop}"]


def says(answer):
    """A shell's command that prints ``answer``, in which ``$id`` and ``$seed`` stand for those of the request."""
    return 'echo "' + answer.replace('"', '\\"') + '"'


SEED = says('{"id":$id,"outputs":[$seed]}')


FAKE = """
import sys
greeting, answer = map(bytes.fromhex, sys.argv[1:])
sys.stdin.readline()
sys.stdout.buffer.write(greeting + b"\\n")
sys.stdout.flush()
for call, line in enumerate(sys.stdin, 1):
    sys.stdout.buffer.write(answer.replace(b"$id", b"%d" % call))
    sys.stdout.flush()
"""


def fake(answer, greeting=GREETING):
    """A program that answers every request in the same words, a line or bytes, with the request's number in them."""
    said = answer if isinstance(answer, bytes) else f"{answer}\n".encode()
    return [sys.executable, "-I", "-S", "-c", FAKE, greeting.encode().hex(), said.hex()]


@pytest.fixture(scope="module")
def laplace(tmp_path_factory):
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    built = tmp_path_factory.mktemp("built") / "laplace"
    subprocess.run([compiler, "-O1", "-o", built, EXAMPLES / "laplace.c", "-lm"], check=True)
    return str(built)


@pytest.fixture(scope="module")
def response():
    script = str(EXAMPLES / "response.awk")
    if shutil.which("gawk"):
        return ["gawk", "-f", script]
    return ["mawk", "-W", "interactive", "-f", script] if shutil.which("mawk") else pytest.skip("there is no awk")


@pytest.fixture(scope="module")
def argmax():
    return [shutil.which("perl") or pytest.skip("there is no perl"), str(EXAMPLES / "argmax.pl")]


def scripted(path, source):
    """A program in Python, without its site packages."""
    path.write_text(f"import json, sys\n{source}", encoding="utf-8")
    return [sys.executable, "-I", "-S", str(path)]


def kinds(mechanism, calls, data=0):
    """What became of so many calls: the output, or the name of the exception."""
    found = []
    for seed in range(calls):
        try:
            found.append(mechanism(data, seed=seed))
        except ProgramError as problem:
            found.append(type(problem).__name__)
    return found


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
    (here / "examples").symlink_to(EXAMPLES)
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^## Audit a program in any language\n.*?```\n(.*?)```", text, re.MULTILINE | re.DOTALL)[1]
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


# ---------------------------------------------------------------- errors of the set-up


GREETINGS = [
    ('{"hello":2}', "must speak version 1 of the line protocol, got 2"),
    ('{"hello":true}', "must speak version 1 of the line protocol, got True"),
    ("{}", "must speak version 1 of the line protocol, got None"),
    ("hello", "must answer with a line of JSON, got b'hello'"),
    ("[1]", r"must answer with a JSON object, got b'\[1\]'"),
    ('{"hello":1,"most":0}', "must greet with most at least 1, got 0"),
    ('{"hello":1,"most":true}', "must greet with most a JSON value like 1, got True"),
    ('{"hello":1,"seeded":1}', "must greet with seeded a JSON value like false, got 1"),
    ('{"hello":1,"name":7}', 'must greet with name a JSON value like "", got 7'),
]


@pytest.mark.parametrize(("greeting", "message"), GREETINGS, ids=[greeting for greeting, _ in GREETINGS])
def test_other_greetings_are_refused(greeting, message):
    with pytest.raises(ProtocolError, match=message) as caught:
        from_command(shell("exit", greeting), NUMBERS)
    assert isinstance(caught.value, ValueError)
    assert caught.value.not_an_outcome
    assert len(str(caught.value).splitlines()) == 1


def test_a_program_that_does_not_greet_is_refused():
    before = time.monotonic()
    with pytest.raises(ProtocolError, match=r"sh must greet, got no answer in 0\.1 seconds"):
        from_command(["sh", "-c", "sleep 60"], NUMBERS, timeout=0.1)
    assert time.monotonic() - before < 30
    with pytest.raises(ProtocolError, match=r"sh must greet, got no answer in 0\.1 seconds"):  # it does not listen
        from_command(["sh", "-c", "sleep 60"], ("x" * 2**20, "y"), timeout=0.1)
    with pytest.raises(ProtocolError, match="sh must greet, got exit status 7"):
        from_command(["sh", "-c", "exec 1>&-; sleep 0.1; exit 7"], NUMBERS)
    with pytest.raises(ProtocolError, match="sh must greet, got signal 9"):
        from_command(["sh", "-c", "kill -9 $$"], NUMBERS)


DEEP = 900 if sys.version_info < (3, 12) else 3000
"""Levels that Python's reader of JSON takes, and its functions do not."""
ANSWERS = [
    ('{"id":0,"outputs":[1]}', "must repeat the id 1 of the request, got 0"),
    ('{"outputs":[1]}', "must repeat the id 1 of the request, got None"),
    ('{"id":true,"outputs":[1]}', "must repeat the id 1 of the request, got True"),
    ('{"id":$id,"outputs":[1]', "must answer with a line of JSON"),
    ('{"id":$id,"outputs":[NaN]}', 'NaN must be written "NaN"'),
    ('{"id":$id,"outputs":["NaN",' + "[" * DEEP + "]" * DEEP + "]}", "must answer with a line of JSON"),
    ("[" * 20_000, "must answer with a line of JSON"),
    (b'"\xff"\n', "must answer with a line of JSON"),
    ("7", "must answer with a JSON object, got b'7'"),
    ('{"id":$id}', "must return a list of 1 outputs, got None"),
    ('{"id":$id,"outputs":1}', "must return a list of 1 outputs, got 1"),
    ('{"id":$id,"outputs":"' + "x" * 10_000 + '"}', "must return a list of 1 outputs, got 'xxx"),
    ('{"id":$id,"outputs":{"x":"' + "x" * 10_000 + '"}}', "must return a list of 1 outputs, got {'x': 'xxx"),
    ('{"id":$id,"outputs":[]}', "must return a list of 1 outputs, got 0 outputs"),
    ('{"id":$id,"outputs":[1,2]}', "must return a list of 1 outputs, got 2 outputs"),
    ('{"id":$id,"float64":1}', "must return float64 of a shape that begins with 1, .* got 1"),
    ('{"id":$id,"float64":[]}', r"must return float64 of a shape that begins with 1, .* got \[\]"),
    ('{"id":$id,"float64":[2]}', r"must return float64 of a shape that begins with 1, .* got \[2\]"),
    ('{"id":$id,"float64":[1,-1]}', r"must return float64 of a shape that begins with 1, .* got \[1, -1\]"),
    ('{"id":$id,"float64":[true]}', r"must return float64 of a shape that begins with 1, .* got \[True\]"),
    ('{"id":$id,"float64":[1,33554433]}', "at most 268435456 bytes, got"),
    ('{"id":$id,"error":7}', r"must name an error, and its message, in printable text, got \(7, ''\)"),
    ('{"id":$id,"error":""}', "must name an error"),
    ('{"id":$id,"error":"a\\u0000"}', "must name an error"),
    ('{"id":$id,"error":"a","message":7}', "must name an error"),
]


@pytest.mark.parametrize(("answer", "message"), ANSWERS, ids=[str(answer)[:40] for answer, _ in ANSWERS])
def test_other_answers_are_no_outcomes(answer, message):
    with from_command(fake(answer), NUMBERS) as mechanism, pytest.raises(ProtocolError, match=message) as caught:
        mechanism(0, seed=1)
    assert caught.value.not_an_outcome
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


def test_lines_that_are_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(program, "MEMORY", 2**17)
    for command in (shell("yes | tr -d '\\n'"), shell("head -c 131073 /dev/zero | tr '\\0' 7; echo")):
        with from_command(command, NUMBERS) as mechanism, pytest.raises(ProtocolError) as caught:
            mechanism(0, seed=1)
        assert str(caught.value) == "sh must answer in at most 131072 bytes, got more"


def test_it_must_greet_alike_when_it_is_started_again(tmp_path):
    greeting = f'[ -e {tmp_path}/again ] && echo \'{{"hello":1,"most":2}}\' || echo \'{{"hello":1}}\''
    command = ["sh", "-c", f"read -r hello; {greeting}; touch {tmp_path}/again; read -r request; exit 1"]
    with from_command(command, NUMBERS) as mechanism:
        assert kinds(lambda data, seed: mechanism(data), 1) == ["Died"]
        with pytest.raises(ProtocolError, match=r"sh must greet alike whenever it is started, got .*most=2"):
            mechanism(0)


def test_arguments_are_checked_before_anything_is_run(tmp_path):
    command = ["touch", str(tmp_path / "run")]
    bad = [
        (([], NUMBERS), {}, "command must name a program, got nothing"),
        (("sh -c 'unfinished", NUMBERS), {}, "No closing quotation"),
        ((command, 7), {}, "pair must hold two data sets, got int"),
        ((command, (1, 1)), {}, "pair must hold two different data sets"),
        ((command, (np.zeros(2), [0.0, 0.0])), {}, "pair must hold two different data sets"),
        ((command, (0, 1j)), {}, "data sets must hold what JSON can say, got complex"),
        ((command, (0, {1: 2})), {}, "data sets must hold what JSON can say, got dict"),
        ((command, NUMBERS), {"timeout": 0}, "timeout must be positive"),
    ]
    for arguments, options, message in bad:
        with pytest.raises(ValueError, match=message):
            from_command(*arguments, **options)  # type: ignore[call-overload]
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------- outcomes


def test_errors_deaths_and_silence_are_outcomes(tmp_path):
    """Each is the exception of its kind, of one type whenever it comes, and the next call finds a fresh program."""
    fails = says('{"id":$id,"error":"Overflow","message":"too large"}')
    dies = "2) exec 1>&-; sleep 0.1; exit 3;; 3) kill -9 $$;; 5) exec 1>&-; sleep 60;;"
    command = shell(f"case $seed in 1) {fails};; {dies} 4) sleep 60;; *) {SEED};; esac")
    command[2] = f"echo started >> {tmp_path}/starts; " + command[2]
    with from_command(command, NUMBERS, timeout=WAIT) as mechanism:
        assert kinds(mechanism, 7) == [0, "Overflow", "Died", "Died", "Timeout", "Died", 6]
        assert (tmp_path / "starts").read_text().count("started") == 5
        said = []
        for seed in (1, 2, 3, 1):
            with pytest.raises(ProgramError) as caught:
                mechanism(1, seed=seed)
            said.append((caught.type, str(caught.value)))
    assert [message for _, message in said] == ["too large", "exit status 3", "signal 9", "too large"]
    assert said[0] == said[3]
    assert said[1][0] is said[2][0]


def test_a_program_that_stops_in_the_middle_of_an_answer_has_died():
    with from_command(shell('printf \'{"id":1,"float64":[1]}\\n1234\'; exit'), NUMBERS) as mechanism:
        assert kinds(mechanism, 1) == ["Died"]
    with from_command(shell('printf \'{"id":1,"outp\'; exit'), NUMBERS) as mechanism:
        assert kinds(mechanism, 1) == ["Died"]


def test_deaths_on_one_data_set_refute(tmp_path):
    """A crash tells the data sets apart: 0 answers, 1 dies at three seeds of four."""
    side = 'side=${line#*side\\":}; side=${side%%,*}'
    command = shell(f"{side}; [ $((side * (seed % 4))) = 0 ] || exit 3; {SEED.replace('$seed', '1')}")
    with from_command(command, NUMBERS) as mechanism:
        found = audit(mechanism, NUMBERS, 1.0, draws=1000)
    assert found.violated
    assert 0 < found.failures < 1000


def test_what_a_timed_out_program_started_is_killed(tmp_path):
    command = shell(f"sleep 60 & echo $! > {tmp_path}/child; wait")
    with from_command(command, NUMBERS, timeout=WAIT) as mechanism:
        assert kinds(mechanism, 1) == ["Timeout"]
    assert gone(int((tmp_path / "child").read_text()))


def gone(process):
    """Whether a process has ended within seconds; one that nobody waited for counts."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = pathlib.Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().split(")")[-1].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_an_interrupted_call_leaves_no_answer_behind(monkeypatch):
    with from_command(shell(SEED), NUMBERS) as mechanism:
        assert mechanism(0, seed=1) == 1
        with monkeypatch.context() as patch:
            patch.setattr(child.Child, "line", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                mechanism(0, seed=2)
        assert mechanism(0, seed=3) == 3


# ---------------------------------------------------------------- what it is asked, and what comes back


def test_the_signature_follows_the_greeting():
    for greeting, parameters in (
        ('{"hello":1}', ["data"]),
        ('{"hello":1,"most":2}', ["data", "size"]),
        ('{"hello":1,"seeded":true,"color":"red"}', ["data", "seed"]),
        ('{"hello":1,"most":9,"seeded":true,"independent":true,"name":"x"}', ["data", "size", "seed"]),
    ):
        with from_command(fake("", greeting), NUMBERS) as mechanism:
            assert list(inspect.signature(mechanism).parameters) == parameters
            said = json.loads(greeting)
            assert mechanism.most_rows == said.get("most", 1)
            assert mechanism.independent_rows == said.get("independent", False)
            assert mechanism.name == said.get("name", "")
            with pytest.raises(ValueError, match=f"size must be between 1 and {mechanism.most_rows}, got 10"):
                mechanism(0, size=10)


def test_requests_are_lines_that_the_protocol_promises(tmp_path):
    answering = shlex.join(shell(SEED, '{"hello":1,"most":2,"float64":true}'))
    command = ["sh", "-c", f"tee {tmp_path}/asked | {answering}"]
    with from_command(command, ({"ä": [1, math.inf]}, np.array([0.5, math.nan]))) as mechanism:
        assert mechanism({"ä": [1, math.inf]}, size=1, seed=2**32 - 1) == [2**31 - 1]
        assert mechanism(np.array([0.5, math.nan]), size=1, seed=2**31) == [0]
    lines = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert lines == [
        '{"hello":1,"first":{"ä":[1,"Infinity"]},"second":[0.5,"NaN"]}',
        '{"id":1,"side":0,"size":1,"seed":2147483647,"float64":1}',
        '{"id":2,"side":1,"size":1,"seed":0,"float64":1}',
        '{"bye":1}',
    ]


def test_without_declared_seeds_every_call_brings_a_fresh_one():
    """Two alike in 20 have probability below 1e-7; a program that uses what it is sent must not repeat itself."""
    with from_command(shell(SEED, '{"hello":1}'), NUMBERS) as mechanism:
        seeds = [mechanism(0) for _ in range(20)]
    assert len(set(seeds)) == 20
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_copies_of_the_data_sets_are_recognised():
    side = says('{"id":$id,"outputs":[$side]}')
    command = shell('side=${line#*side\\":}; side=${side%%,*}; ' + side)
    for pair, other in (
        (NUMBERS, 2),
        (({"a": [1, None]}, {"a": [1, True]}), {"a": [1, 1]}),
        ((np.eye(2), np.zeros((2, 2))), np.zeros(4)),
        ((np.array([0.0, 1.0]), np.array([-0.0, 1.0])), np.array([0, 1])),
        ((np.zeros(2), np.ones(2)), np.zeros(2, dtype=int)),
        ((math.nan, np.float64(2.5)), 2),
    ):
        with from_command(command, pair) as mechanism:
            assert [mechanism(copy.deepcopy(data), seed=1) for data in pair] == [0, 1]
            with pytest.raises(ProtocolError, match="data must be one of the two data sets"):
                mechanism(other, seed=1)
    view = np.eye(2).view()
    view.flags.writeable = False
    with from_command(command, (np.zeros((2, 2)), np.eye(2))) as mechanism:
        assert mechanism(view, seed=1) == 1


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: text not in program.NOT_FINITE),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)
"""What JSON can say, with NaN and infinities; a string that stands for one of these cannot be told from it."""

ECHO = """
hello = json.loads(sys.stdin.readline())
print(json.dumps({"hello": 1, "most": 2}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"id": request["id"], "outputs": [hello["first"], hello["second"]]}), flush=True)
"""


@given(json_values)
def test_values_survive_their_encoding(value):
    assert repr(decoded(json.loads(text_of(value)))) == repr(value)
    assert repr(encoded(value)) == repr(json.loads(text_of(value)))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_values_come_back_from_a_program(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "echo.py"
    value = data.draw(json_values)
    with from_command(scripted(path, ECHO), (value, {"not": value})) as mechanism:
        assert repr(mechanism(value, size=2)) == repr([value, {"not": value}])


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_only_whole_strings_stand_for_numbers(word):
    outputs = [word, [word], {word: word}, f"{word} ", f"x{word}", word.lower()]
    answer = f'{{"id":$id,"outputs":{json.dumps(outputs)}}}'
    with from_command(fake(answer, '{"hello":1,"most":6}'), NUMBERS) as mechanism:
        number = float(word)
        expected = [number, [number], {word: number}, f"{word} ", f"x{word}", word.lower()]
        assert repr(mechanism(0, size=6)) == repr(expected)
    escaped = f"\\u{ord(word[0]):04x}{word[1:-1]}\\u{ord(word[-1]):04x}"
    with from_command(fake(f'{{"id":$id,"outputs":["{escaped}"]}}'), NUMBERS) as mechanism:
        assert repr(mechanism(0)) == repr(float(word))


def test_float64_comes_row_by_row_as_little_endian_bytes():
    numbers = np.arange(6.0).reshape(2, 3)
    answer = b'{"id":$id,"float64":[2,3]}\n' + numbers.astype("<f8").tobytes()
    greeting = '{"hello":1,"most":2,"float64":true}'
    command = fake(answer, greeting)
    with from_command(command, NUMBERS) as mechanism:
        for _ in range(3):
            assert np.array_equal(mechanism(0, size=2), numbers)


# ---------------------------------------------------------------- its life


def test_its_standard_error_is_the_users(capfd):
    with from_command(shell(f"echo for people >&2; {SEED}"), NUMBERS) as mechanism:
        mechanism(0, seed=1)
    assert capfd.readouterr().err == "for people\n"


def test_a_program_that_does_not_take_its_leave_is_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(child, "GRACE", 0.1)
    command = ["sh", "-c", f"echo $$ > {tmp_path}/pid; read -r hello; echo '{GREETING}'; sleep 60"]
    with from_command(command, NUMBERS):
        pass
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_is_forgotten_is_ended(tmp_path):
    command = ["sh", "-c", f"echo $$ > {tmp_path}/pid; read -r hello; echo '{GREETING}'; sleep 60"]
    mechanism = from_command(command, NUMBERS)
    del mechanism
    gc.collect()
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_closed_program_is_started_again_by_a_call():
    mechanism = from_command(shell(SEED), NUMBERS)
    mechanism.close()
    mechanism.close()
    assert mechanism(0, seed=5) == 5
    mechanism.close()


def test_patience_may_be_long():
    with from_command(shell(SEED), NUMBERS, timeout=1e12) as mechanism:
        assert mechanism(0, seed=3) == 3


def test_threads_take_turns():
    with from_command(shell(SEED), NUMBERS) as mechanism, concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda seed: mechanism(0, seed=seed), range(200))) == list(range(200))


def test_a_pickled_mechanism_is_one_program_in_each_process(tmp_path):
    command = shell(SEED)
    command[2] = f"echo started >> {tmp_path}/starts; " + command[2]
    with from_command(command, NUMBERS) as mechanism:
        first, second = (pickle.loads(pickle.dumps(mechanism)) for _ in range(2))
        assert (tmp_path / "starts").read_text().count("started") == 1, "nothing is started before it is called"
        assert [first(0, seed=1), second(1, seed=2), first(0, seed=3)] == [1, 2, 3]
        assert (tmp_path / "starts").read_text().count("started") == 2
        assert inspect.signature(first) == inspect.signature(mechanism)
        first.close()


def test_workers_open_programs_of_their_own(laplace):
    pytest.importorskip("joblib")
    with from_command([laplace, "0.9"], NUMBERS) as mechanism:
        alone = audit(mechanism, NUMBERS, 1.1, draws=2000)
        assert alone == audit(mechanism, NUMBERS, 1.1, draws=2000, workers=2)
