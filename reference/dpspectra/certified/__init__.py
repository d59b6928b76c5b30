"""Certified arithmetic: numbers that are correctly rounded draws of ideal real noise, so that a claim holds as it runs.

Every number that meets private data is released as ``R(g + z)``: ``g`` an exact integer times a public unit, ``z`` the
ideal real noise, a fixed function of bits that are read as they are needed, ``R`` rounding to a public grid. Rounding
is post-processing of an ideal release, whose privacy is proved. Floating point decides almost every number, with a
proved bound on its error; balls on the same bits decide the others.
"""
