"""Entries of a ledger that tests plant faults in."""

from hypothesis import strategies as st

from dpspectra.ledger import Statement, Verdict, inequality


def statement(fast, oracle, tight=((),), **fields):
    """An entry whose faces return these outcomes at every case."""
    faces = {"fast": lambda *case: fast, "oracle": lambda *case: oracle, "tight": lambda: list(tight)}
    return Statement(("X",), "", Verdict.NEW, "p#a", cases=lambda: st.just(()), faces=faces, **fields)


def broken(printed, greater="2", lesser="1"):
    """An entry whose printed form, at its counterexample, is ``printed``."""
    faces = {
        "as_printed": lambda: printed,
        "hypotheses": lambda: {},
        "counterexample": lambda: (),
        "certificate": lambda: inequality("X", "a reason", greater, lesser),
    }
    return Statement(("X",), "", Verdict.REFUTED, "p#a", faces=faces)
