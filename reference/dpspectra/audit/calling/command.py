"""A mechanism whose draws are made by a program, in the form in which audits call mechanisms."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from dpspectra.audit.calling.program import Program, ProtocolError, hello, text_of
from dpspectra.ground import checks


class CommandMechanism:
    """A mechanism whose draws a program makes; `adapters.from_command` starts the program.

    Its signature follows the greeting of the program: ``size`` is there if a call may return several rows, ``seed`` if
    the program is seeded. ``data`` is one of the two data sets, or a copy: arrays are recognised by type, shape and
    content, everything else by its JSON text.
    """

    def __init__(self, program: Program, pair: tuple[Any, Any]) -> None:
        greeting = program.greeting
        self.program, self.pair = program, pair
        self.name: str = greeting.name
        """Name that the program gives itself."""
        self.most_rows: int = greeting.most
        """Most rows in one call."""
        self.independent_rows: bool = greeting.independent
        """Whether the program declares that the rows of one call are independent runs."""
        self._sides = {_identity(data): side for side, data in enumerate(pair)}
        named = [name for name, is_there in (("size", greeting.most > 1), ("seed", greeting.seeded)) if is_there]
        only = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter("data", inspect.Parameter.POSITIONAL_ONLY)]
        self.__signature__ = inspect.Signature(parameters + [inspect.Parameter(name, only) for name in named])

    def __call__(self, data: Any, *, size: int | None = None, seed: int | None = None) -> Any:
        """``size`` outputs along a leading axis, or one output; from a fresh seed if none is given.

        Raises a `ProgramError` of the kind that the program names, ``Died`` or ``Timeout`` if the call failed.
        """
        side = self._sides.get(_identity(data))
        if side is None:
            raise ProtocolError("data must be one of the two data sets of the program, got another one")
        rows = 1 if size is None else checks.integer(size, "size", 1, self.most_rows)
        outputs = self.program.draw(side, rows, seed)
        return outputs[0] if size is None else outputs

    def close(self) -> None:
        """End the program; a later call would start it again."""
        self.program.close()

    def __enter__(self) -> CommandMechanism:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Command:
    """A program that has not been told its data sets yet: audits and `conforms` tell it theirs."""

    def __init__(self, words: tuple[str, ...], timeout: float) -> None:
        self.words, self.timeout = words, timeout

    def on_pair(self, first: Any, second: Any) -> CommandMechanism:
        """Start the program on two data sets, which must be what JSON can say (arrays become lists)."""
        return CommandMechanism(
            Program(self.words, hello(text_of(first), text_of(second)), self.timeout), (first, second)
        )

    def __call__(self, data: Any) -> Any:
        """Refused: the program must be told both data sets before it is asked for outputs on one of them."""
        raise ProtocolError("a program must be told its data sets by on_pair, got a call without them")


def _identity(data: Any) -> Any:
    """Return a key of a data set: equal for equal data sets, different for others."""
    if isinstance(data, np.ndarray) and not data.dtype.hasobject:
        return data.dtype.str, data.shape, data.tobytes()
    return text_of(data)
