"""Sensitivity is the largest ``|q(D) - q(D')|_r``, ``r = 1, 2``, over neighbours, on the coordinates that are released.

Here the definition is evaluated literally for second moments ``q(D) = sum x x'`` of ``n`` people whose rows are from a
finite set. A sum over people changes by one person's share, whatever the others are. A symmetric output is released as
its upper triangle, diagonal included: mirrored entries release nothing more, and counting them overstates both norms.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import Equal, Parts, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, st, unit_rows


@statement
class Sensitivity:
    labels = ("JXZ-D5", "MWKTV-D5.1")
    given = (
        r"\Delta_r(q)=\max_{D\sim D'}\|q(D)-q(D')\|_r,\ "
        r"q(D)=\operatorname{triu}\big(\sum_{x\in D}xx^\top\big),\ D\in U^n"
    )
    claim = {
        "replaced row in l1": r"\text{replace: }\Delta_1(q)=\max_{x,y\in U}\|\operatorname{triu}(xx^\top-yy^\top)\|_1",
        "replaced row in l2": r"\text{replace: }\Delta_2(q)=\max_{x,y\in U}\|\operatorname{triu}(xx^\top-yy^\top)\|_2",
        "removed row in l1": r"\text{remove: }\Delta_1(q)=\max_{x\in U}\|\operatorname{triu}(xx^\top)\|_1",
        "removed row in l2": r"\text{remove: }\Delta_2(q)=\max_{x\in U}\|\operatorname{triu}(xx^\top)\|_2",
    }
    printed = {
        "JXZ-D5": r"Not at hand; read as: $`\Delta_r(f)=\max\lVert f(X)-f(X')\rVert_r`$ over neighbours, $`r=1,2`$.",
        "MWKTV-D5.1": (
            r"Not at hand; read as the usual definition: the largest $`\lVert q(D)-q(D')\rVert_1`$ over "
            "neighbours."
        ),
    }
    where = {
        r"\Delta_i": (r"\Delta_r", r"sensitivity in the norm $`\ell_r`$"),
        "r": "1 or 2",
        "q": "function of the data, as a vector of what is released",
        "D": "data set",
        "D'": "neighbouring data set",
        "U": "finite set of rows",
        "n": "number of rows of a data set",
        r"\mathrm{triu}": "the upper triangle with the diagonal, as a vector",
        r"\lVert\cdot\rVert_r": r"norm $`\ell_r`$ of the released coordinates",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    exact = ("replaced row in l1", "replaced row in l2", "removed row in l1", "removed row in l2")
    note = "sensitivity.md#l1-and-l2-sensitivity"
    without_beyond = "It defines the sensitivity, of any function and any relation."
    examples = 60

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 3), dimensions()).flatmap(lambda p: st.tuples(unit_rows(*p), st.integers(1, 3)))

    def fast(self, universe: Any, n: int) -> Parts:
        people = range(len(universe))
        released = {p: fast.upper_triangle(fast.gram(universe[list(p)])) for p in itertools.product(people, repeat=n)}
        without = {p[1:]: fast.upper_triangle(fast.gram(universe[list(p[1:])])) for p in released}
        shares = fast.upper_triangle(fast.outer(universe))
        moves = list(itertools.product(range(n), people))
        replaced = np.array([released[p] - released[(*p[:i], new, *p[i + 1 :])] for p in released for i, new in moves])
        removed = np.array([released[p] - without[(*p[:i], *p[i + 1 :])] for p in released for i in range(n)])
        pairs = shares[:, None] - shares[None, :]
        for change, moved, alone in (("replaced", replaced, pairs), ("removed", removed, shares)):
            for order in (1, 2):
                whole, one = (np.max(np.linalg.norm(x, order, axis=-1)) for x in (moved, alone))
                yield Equal(whole, one, scale=n, part=f"{change} row in l{order}")

    def oracle(self, universe: Any, n: int) -> Parts:
        rows = [oracle.exact(row) for row in universe]
        shares = [oracle.upper_triangle(oracle.outer(row)) for row in rows]

        def released(dataset: Any) -> list[Any]:
            return [
                mp.fsum(entries) for entries in zip([0] * len(shares[0]), *(shares[p] for p in dataset), strict=True)
            ]

        def largest(pairs: Any, order: int) -> Any:
            return max(mp.norm([a - b for a, b in zip(x, y, strict=True)], order) for x, y in pairs)

        datasets = list(itertools.product(range(len(rows)), repeat=n))
        values = {dataset: released(dataset) for dataset in datasets}
        replaced = [(values[a], values[b]) for a in datasets for b in datasets if sum(map(int.__ne__, a, b)) <= 1]
        removed = [(values[a], released(a[:i] + a[i + 1 :])) for a in datasets for i in range(n)]
        alone = list(itertools.product(shares, repeat=2))
        against_nobody = [(share, [mp.mpf(0)] * len(share)) for share in shares]
        for change, moves, one in (("replaced", replaced, alone), ("removed", removed, against_nobody)):
            for order in (1, 2):
                yield Equal(largest(moves, order), largest(one, order), scale=n, part=f"{change} row in l{order}")

    def tight(self) -> list[Any]:
        """Two axes and a row between them for two people; and one row for one person."""
        return [(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, -1.0]]), 2), (np.array([[0.75, -0.5, 0.25]]), 1)]
