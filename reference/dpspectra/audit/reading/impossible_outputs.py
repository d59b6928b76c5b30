"""Outputs that a declared support rules out: one of them is an infinite loss, with no probability about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.not_psd import check_certificate
from dpspectra.audit.reading.stacked_outputs import Rows
from dpspectra.audit.reading.table import Layout


@dataclass(frozen=True, slots=True)
class Support:
    """The user's declaration ``rules_out(output, data)``, and what it ruled out.

    It returns ``None`` or ``False`` if the mechanism can return ``output`` (as it came, not rounded) on ``data``; if it
    cannot, ``True`` or a certificate, a dictionary that says why. A certificate of a kind known here is checked.
    """

    rules_out: Callable[[Any, Any], Any]
    pair: tuple[Any, Any]

    def judge(
        self, layout: Layout, rows: Rows, side: int, *, declaration_too: bool
    ) -> tuple[NDArray[np.float64], tuple[dict[str, Any] | None] | None]:
        """Return 1 for draws on data set ``side`` that are ruled out on the other one, else 0; shape ``(n,)``.

        The second value holds the certificate of the first of them, or ``None`` if there is none; it is ``None`` if all
        are possible. Outputs of other types or shapes than most are not asked about. With ``declaration_too``, raises
        ``ValueError`` if an output is ruled out on the data set it was drawn on.
        """
        out = np.zeros(len(rows))
        found: tuple[dict[str, Any] | None] | None = None
        for i in np.flatnonzero(layout.judged(rows)).tolist():
            output = layout.output(rows, i)
            if declaration_too and self._asked(output, self.pair[side]):
                name = ("first", "second")[side]
                raise ValueError(
                    f"support must allow what the mechanism returns on the same data, got a veto on the {name}"
                )
            verdict = self._asked(output, self.pair[1 - side])
            if not verdict:
                continue
            out[i] = 1
            certificate = dict(verdict) if isinstance(verdict, dict) else None
            if certificate is not None and certificate.get("kind") == "not_psd" and not check_certificate(certificate):
                raise ValueError("support must return certificates that hold, got one that check_certificate rejects")
            found = found or (certificate,)
        return out, found

    def _asked(self, output: Any, data: Any) -> Any:
        try:
            return self.rules_out(output, data)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as problem:  # an exit of the program among it
            raise ValueError(
                f"support must answer for every output, got {type(problem).__name__}: {problem}"
            ) from problem
