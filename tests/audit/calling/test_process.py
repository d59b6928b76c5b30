"""The life of a program: how it starts, dies, is forgotten and killed, and what becomes of its answers."""

import concurrent.futures
import gc
import inspect
import os
import pathlib
import pickle
import time

import pytest

from dpspectra.audit import audit
from dpspectra.audit.adapters import from_command
from dpspectra.audit.calling import process as child
from dpspectra.audit.calling.program import ProgramError
from tests.support.programs import GREETING, NUMBERS, SEED, WAIT, kinds, says, shell

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
