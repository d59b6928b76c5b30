"""Where draws are made: in this process, or in joblib workers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from dpspectra.ground import extras

T = TypeVar("T")
Pool = Callable[[Callable[..., T], Sequence[tuple[Any, ...]]], Iterable[T]]


@contextmanager
def shared_out(workers: int | None) -> Iterator[Pool[Any]]:
    """Open a pool: a function that calls another one on each of many tuples of arguments, and keeps their order.

    ``None`` makes the calls here, each when its value is asked for; an integer hands them to `joblib.Parallel` (extra
    ``parallel``), whose backend is whatever is configured: processes of this machine by default, or those of a dask or
    ray cluster.
    """
    if workers is None:
        yield lambda function, tasks: (function(*task) for task in tasks)
        return
    joblib = extras.load("joblib", "parallel", "workers")
    with joblib.Parallel(n_jobs=workers) as parallel:
        yield lambda function, tasks: list(parallel(joblib.delayed(function)(*task) for task in tasks))
