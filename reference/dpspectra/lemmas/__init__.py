"""The lemmas: one module per published statement, or group of statements proved together; one folder per chapter.

A statement is a class under `dpspectra.ledger.statement`: its attributes are the record, its methods the faces.
``fast`` (float64) and ``oracle`` (mpmath, by definition) evaluate the same cases independently and must yield the same
parts in the same order; at the cases of ``tight`` every part is an equality up to 1e-6, or has its ratio declared in
``slack``. ``beyond``: the claim fails without a hypothesis. Formulas that releases compute with stand in
`dpspectra.formulas`. Labels are permanent; the verdict must match ``ledger/labels.csv``, ``note`` an anchor in
``proofs_notes``. At most 270 lines. ``python -m tools.new LABEL --chapter CHAPTER`` starts a module. After a change run
``dpspectra verify LABEL --challenge``, and ``make notes`` if verdict, parts or what it rests on changed.
"""

WHERE = {
    r"\varepsilon": "privacy parameter, in nats",
    r"\delta": "probability that approximate privacy allows",
    r"\delta_G": (
        "profile of Gaussian noise (HR-T2.6R): the smallest delta at the first argument, for means that are "
        "as many standard deviations apart as the second argument says"
    ),
    r"\varepsilon^*": "largest privacy parameter for which the noise is enough",
    "d": "dimension, the number of columns of the data",
    "k": "rank of what is released",
    "e": "Euler's number, 2.718...",
    r"\pi": "the number 3.14159...",
    "i": "an index",
    "j": "an index",
    "l": "an index",
    r"\ell": "an index",
    "I": "identity matrix",
    r"\mathbb E": "mean",
    r"\mathbb R": "real numbers",
    r"\mathbb N": "whole numbers from 1 on",
    r"\mathbf 1": "1 where the condition holds, else 0",
    r"\lVert\cdot\rVert": "Euclidean norm of a vector, spectral norm of a matrix",
    r"\lVert\cdot\rVert_2": "spectral norm of a matrix, Euclidean norm of a vector",
    r"\lVert\cdot\rVert_F": "Frobenius norm: root of the sum of the squares of the entries",
    r"\lVert\cdot\rVert_*": "nuclear norm: sum of the singular values",
    r"\lVert\cdot\rVert_1": "sum of the moduli of the entries",
    r"\lVert\cdot\rVert_{\max}": "largest modulus of an entry",
    r"\lVert\cdot\rVert_\infty": "largest modulus of an entry",
    r"\lVert\cdot\rVert_0": "number of entries that are not zero",
    r"\mathrm{tr}": "trace: sum of the diagonal",
    r"\mathrm{rank}": "rank of a matrix",
    r"\mathrm{diag}": "diagonal matrix with these entries",
    r"\mathrm{range}": "span of the columns",
    r"\mathrm{Re}": "real part",
    r"\Phi": "distribution function of the standard normal law",
    r"\Gamma": "Gamma function",
    r"\mathrm{Lap}": "Laplace law of mean zero with this scale",
    r"\mathrm{Beta}": "Beta law with these two parameters",
}
"""Meanings of letters that statements of all chapters share."""
