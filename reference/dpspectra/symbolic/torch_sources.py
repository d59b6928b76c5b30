"""Noise of torch's shared generator, by the operations and functions that draw it.

A draw of a generator that the program made ends the run, and so does a seed, unless it is the one that was handed over.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.given_draws import affine, symbols
from dpspectra.symbolic.given_seed import is_fresh
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, UNIFORM
from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import current, following
from dpspectra.symbolic.torch_memory import active


def drawn(memory: Any, operation: Any, name: str, args: Any, options: Any) -> Any:
    """Draw, if the law is known."""
    draw = DRAWS.get(name)
    if options.get("generator") is not None:
        raise memory.tape.stop(f"{name} at {place()} draws from a generator of torch of its own, which is not followed")
    if draw is None or options.get("out") is not None:
        raise memory.tape.stop(f"{name} of torch at {place()} is a source of randomness that is not followed")
    if any(memory.noisy(a) for a in args[name not in CHANCES :] if isinstance(a, sys.modules["torch"].Tensor)):
        raise memory.unfollowed(f"{name} of torch with a scale or a chance")
    result = _trial(operation, name, args, options)
    memory.write(result, draw(memory, tuple(result.shape), *args))
    return result


def _trial(operation: Any, name: str, args: Any, options: Any) -> Any:
    """Return a tensor for draws; torch refuses here what it refuses."""
    torch = sys.modules["torch"]
    options = {k: v for k, v in options.items() if k != "generator"}
    if name.endswith("_like"):
        return torch.ops.aten.empty_like.default(*args, **options)
    if name in ("randn", "rand"):
        return torch.ops.aten.empty.memory_format(*args, **options)
    return operation(*args, **options, generator=_generator())


@functools.cache
def _generator() -> Any:
    return sys.modules["torch"].Generator()


def _unit(law: Any) -> Callable[..., Any]:
    return lambda memory, shape, *rest: symbols(law, shape)


def _number(memory: Any, x: Any) -> Any:
    """Return a parameter, as noise or as numbers."""
    return memory.read(x) if isinstance(x, sys.modules["torch"].Tensor) else x


def _normal(memory: Any, shape: Any, mean: Any = 0.0, std: Any = 1.0, *size: Any) -> Any:
    return affine(NORMAL, _number(memory, mean), _number(memory, std), shape)


def _uniform(memory: Any, shape: Any, t: Any, low: float = 0.0, high: float = 1.0) -> Any:
    return affine(UNIFORM, low, high - low, shape)


def _exponential(memory: Any, shape: Any, t: Any, rate: float = 1.0) -> Any:
    return affine(EXPONENTIAL, 0.0, 1 / rate, shape)


def _bernoulli(memory: Any, shape: Any, chance: Any, *rest: Any) -> Any:
    return np.less(symbols(UNIFORM, shape), _number(memory, chance)).astype(float)


def _chosen(memory: Any, shape: Any, weights: Any, number: int, *rest: Any) -> Any:
    """Choose one of a few; more at a time are not followed."""
    if shape != (1,):
        raise memory.unfollowed("multinomial of torch with several draws")
    ends = np.cumsum(memory.read(weights))
    return np.searchsorted(ends[:-1] / ends[-1], symbols(UNIFORM, shape), side="right")


DRAWS: dict[str, Callable[..., Any]] = {
    "randn": _unit(NORMAL),
    "randn_like": _unit(NORMAL),
    "rand": _unit(UNIFORM),
    "rand_like": _unit(UNIFORM),
    "normal": _normal,
    "normal_": lambda memory, shape, t, *rest: _normal(memory, shape, *rest),
    "uniform_": _uniform,
    "exponential_": _exponential,
    "bernoulli": _bernoulli,
    "bernoulli_": lambda memory, shape, t, chance=0.5, *rest: _bernoulli(memory, shape, chance),
    "multinomial": _chosen,
}
"""Operations that draw what is followed, given their arguments."""
CHANCES = ("bernoulli", "multinomial")
"""Those whose first argument says how they draw: others move it, or overwrite it."""


def replacements() -> list[tuple[Any, str, Any]]:
    """Return replacements for what draws by functions of uniform numbers, or passes no mode."""
    torch = sys.modules["torch"]
    _generator()
    laplace = torch.distributions.Laplace
    found = [(laplace, "rsample", _laplace(laplace.rsample)), (torch, "from_numpy", _from_numpy(torch.from_numpy))]
    return [*found, (torch, "manual_seed", _seeded(torch.manual_seed))]


def _laplace(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def rsample(self: Any, sample_shape: Any = ()) -> Any:
        memory = active()
        if memory is None:
            return real(self, sample_shape)
        shape = self._extended_shape(sys.modules["torch"].Size(sample_shape))
        z = sys.modules["torch"].empty(shape, dtype=self.loc.dtype)
        memory.write(z, symbols(LAPLACE, tuple(shape)))
        return self.loc + self.scale * z

    return rsample


def _from_numpy(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def from_numpy(x: Any) -> Any:
        if type(x) is Noisy:
            raise current().stop(
                f"torch shares the memory of an array that holds noise, at {place()}: use torch.tensor"
            )
        return real(x)

    return from_numpy


def _seeded(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what gives the shared generator a seed: the one that was handed over leaves it as fresh as it was."""

    @functools.wraps(real)
    def manual_seed(seed: Any) -> Any:
        if not following():
            return real(seed)
        if seed is not None and is_fresh(seed):
            return sys.modules["torch"].default_generator
        raise current().stop(f"torch's generator is given a seed at {place()}: what it draws is the same in each run")

    return manual_seed
