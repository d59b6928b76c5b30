"""The lemmas: one module per published statement, or group of statements proved together; one folder per chapter.

A statement is a class under `dpspectra.ledger.statement`: its attributes are the record, its methods the faces.
``fast`` (float64) and ``oracle`` (mpmath, by definition) evaluate the same cases independently and must yield the same
parts in the same order; at the cases of ``tight`` every part is an equality up to 1e-6, or has its ratio declared in
``slack``. ``beyond``: the claim fails without a hypothesis. Formulas that releases compute with stand in
`dpspectra.formulas`. Labels are permanent; the verdict must match ``ledger/labels.csv``, ``note`` an anchor in
``proofs_notes``. At most 250 lines. ``python -m tools.new LABEL --chapter CHAPTER`` starts a module. After a change run
``dpspectra verify LABEL --challenge``, and ``make notes`` if verdict, parts or what it rests on changed.
"""
