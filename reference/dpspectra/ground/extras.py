"""Libraries that are optional, imported where they are needed. Messages name a missing one in one way."""

import importlib
from typing import Any


def load(module: str, extra: str, purpose: str) -> Any:
    """Import ``module``, which the extra ``extra`` of this package brings, for a ``purpose`` in the plural.

    Raises ``ImportError`` that says what needs the library and how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise ImportError(f"{purpose} need {library}: pip install 'dpspectra[{extra}]'") from error
