"""Slow arbitrary-precision kernels, written from the definitions; the same names as `dpspectra.fast`."""
