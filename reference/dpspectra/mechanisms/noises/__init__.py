"""Laws of added noise, one module each: its draw in both arithmetics, its smallest scale, what it costs directions.

A record of the catalogue names the module; a release imports the one it uses, with its kernels and its lemma.
"""
