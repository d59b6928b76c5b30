"""The lemmas: one module per published statement, or group of statements proved together; one folder per chapter.

A module holds `Statement` entries of the ledger. ``@fast`` (float64) and ``@oracle`` (mpmath, by definition) evaluate
the same cases independently and must yield the same parts in the same order; at the ``@tight`` cases every part is an
equality up to 1e-6, or has its ratio declared in ``slack``. ``@beyond``: the claim fails without a hypothesis. Labels
are permanent; the verdict must match ``ledger/labels.csv``, ``note`` an anchor in ``proofs_notes``. At most 250 lines.
``dpspectra new LABEL --chapter CHAPTER`` starts a module. After a change run ``dpspectra verify LABEL --challenge``,
and ``make notes`` if verdict, parts or what it rests on changed.
"""
