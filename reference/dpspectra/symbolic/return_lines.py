"""Where a mechanism returns: the line that a finding about its output is told with."""

import functools
from collections.abc import Callable
from typing import Any

from dpspectra.symbolic.call_hooks import told
from dpspectra.symbolic.program_lines import is_program, line_of
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import NotFollowed


def returned_at(it: Runner, side: int) -> str | None:
    """Return the line at which one run with nothing replaced leaves the mechanism; ``None`` if none is seen."""
    mechanism, first, lines = it.mechanism, list[Any](), list[str]()

    def seen(frame: Any, event: str, value: Any) -> None:
        if event == "call" and not first and is_program(frame):
            first.append(frame)
        elif event == "return" and first and frame is first[0]:
            lines.append(line_of(frame))

    it.mechanism = _profiled(mechanism, seen)
    try:
        it.plain_leaves(side)
    except NotFollowed:
        pass
    finally:
        it.mechanism = mechanism
    return lines[0] if lines else None


def _profiled(mechanism: Callable[..., Any], seen: Callable[[Any, str, Any], None]) -> Callable[..., Any]:
    @functools.wraps(mechanism)
    def called(data: Any, **given: Any) -> Any:
        with told(seen):
            return mechanism(data, **given)

    return called
