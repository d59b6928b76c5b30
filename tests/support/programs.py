"""Programs in a few words that speak the protocol, well and badly."""

import sys

from dpspectra.audit.calling.program import ProgramError
from tests.support.helpers import ROOT

EXAMPLES = ROOT / "examples"
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
"""Greetings that are refused, and what of the message says why."""
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
"""Answers to a request for one row that are refused; ``$id`` is the number of the request."""
