"""The line protocol: what a program is asked, what comes back, and what becomes of those who break it."""

import copy
import inspect
import json
import math
import shlex
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpspectra.audit.adapters import from_command
from dpspectra.audit.calling import program
from dpspectra.audit.calling.program import ProtocolError, decoded, encoded, text_of
from tests.support.programs import ANSWERS, GREETINGS, NUMBERS, SEED, fake, kinds, says, scripted, shell

# ---------------------------------------------------------------- errors of the set-up


@pytest.mark.parametrize(("greeting", "message"), GREETINGS, ids=[greeting for greeting, _ in GREETINGS])
def test_other_greetings_are_refused(greeting, message):
    with pytest.raises(ProtocolError, match=message) as caught:
        from_command(shell("exit", greeting), NUMBERS)
    assert isinstance(caught.value, ValueError)
    assert caught.value.not_an_outcome
    assert len(str(caught.value).splitlines()) == 1


def test_a_program_that_does_not_greet_is_refused():
    before = time.monotonic()
    with pytest.raises(ProtocolError, match=r"sh must greet, got no answer in 0\.1 seconds: it must flush each line"):
        from_command(["sh", "-c", "sleep 60"], NUMBERS, timeout=0.1)
    assert time.monotonic() - before < 30
    with pytest.raises(ProtocolError, match=r"sh must greet, got no answer in 0\.1 seconds"):  # it does not listen
        from_command(["sh", "-c", "sleep 60"], ("x" * 2**20, "y"), timeout=0.1)
    with pytest.raises(ProtocolError, match="sh must greet, got exit status 7"):
        from_command(["sh", "-c", "exec 1>&-; sleep 0.1; exit 7"], NUMBERS)
    with pytest.raises(ProtocolError, match="sh must greet, got signal 9"):
        from_command(["sh", "-c", "kill -9 $$"], NUMBERS)


@pytest.mark.parametrize(("answer", "message"), ANSWERS, ids=[str(answer)[:40] for answer, _ in ANSWERS])
def test_other_answers_are_no_outcomes(answer, message):
    with from_command(fake(answer), NUMBERS) as mechanism, pytest.raises(ProtocolError, match=message) as caught:
        mechanism(0, seed=1)
    assert caught.value.not_an_outcome
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


def test_an_echo_is_no_answer():
    with from_command("cat", NUMBERS) as mechanism, pytest.raises(ProtocolError) as caught:
        mechanism(0)
    told = "cat must answer a request by the line protocol, got the request itself; see the page protocol"
    assert str(caught.value) == told


def test_lines_that_are_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(program, "MEMORY", 2**17)
    for command in (shell("yes | tr -d '\\n'"), shell("head -c 131073 /dev/zero | tr '\\0' 7; echo")):
        with from_command(command, NUMBERS) as mechanism, pytest.raises(ProtocolError) as caught:
            mechanism(0, seed=1)
        assert str(caught.value) == "sh must answer in at most 131072 bytes, got more; see the page protocol"


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
        (("sh -c 'unfinished", NUMBERS), {}, "command must be words as a shell reads them, got .*'unfinished"),
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
