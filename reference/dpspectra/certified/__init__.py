"""Certified arithmetic: a privacy claim holds for the program that runs, not only for real numbers.

Private data become integers in units of a public power of two, row by row, and sums of them are exact. What is released
is a real random variable, correctly rounded to a public grid; rounding is post-processing, so every claim carries over.
Trusted are IEEE-754 addition, multiplication, division and square root, and exact scaling by powers of two. Nothing is
decided by a function of the C library, such as ``exp`` or ``log``, whose errors nobody bounds.
"""
