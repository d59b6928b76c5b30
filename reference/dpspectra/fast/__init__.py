"""Vectorised float64 kernels, batched over leading axes. Never its own judge: no arbitrary precision here."""
