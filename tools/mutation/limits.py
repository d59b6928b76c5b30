"""A pytest plugin that ends the process when a test takes longer than it may, so that an endless loop is soon noticed.

Load it with ``-p tools.mutation.limits``; ``--limits`` is a JSON object of tests, with the path of their file, and
seconds. The system's alarm ends the process also inside compiled code, where no Python handler would run.
"""

import json
import signal
from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Add the option."""
    parser.addoption("--limits", type=json.loads, required=True, help="longest time of each test, a JSON object")


def pytest_configure(config: Any) -> None:
    """Attend to the tests."""
    config.pluginmanager.register(_Hooks(config))


class _Hooks:
    def __init__(self, config: Any) -> None:
        self.limits, self.root = config.getoption("limits"), config.rootpath

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self.limits[str(self.root / nodeid)])

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
