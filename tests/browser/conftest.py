"""A browser that is installed here, without a network; nothing is downloaded.

Where playwright (extra ``site-test``) or Chromium is missing, the tests are skipped; with ``DPSPECTRA_BROWSER=1`` in
the environment they fail instead, so that a workflow cannot pass by finding no browser.
"""

import importlib
import os
import pathlib
import shutil

import pytest

SITE = pathlib.Path(__file__).parents[2] / "site"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"], "preload": False}
"""Rules of axe: WCAG 2.1 AA, and of 2.2 AA the size of targets."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Two frames: a page hears in the first that its parts have another size, and then lets the keyboard reach them."""
NAMES = ("chromium", "chromium-browser", "google-chrome")


def missing(what):
    if os.environ.get("DPSPECTRA_BROWSER"):
        pytest.fail(f"{what} is missing, and DPSPECTRA_BROWSER asks for it")
    pytest.skip(f"{what} is missing")


def failed(request):
    """What is told of a request that failed: nothing if the browser gave it up, as it does when the next page opens."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"failed: {request.url}, {request.failure}"]


@pytest.fixture(scope="session")
def browser():
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        missing("playwright")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing("Chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser):
    """Open a file at a width in a colour scheme; what goes wrong is kept on the page as ``faults``."""
    contexts = []

    def opened(path, width=1440, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("console", lambda message: message.type == "error" and page.faults.append(message.text))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("requestfailed", lambda request: page.faults.extend(failed(request)))
        page.on(
            "request", lambda request: request.url.startswith(("file:", "data:")) or page.faults.append(request.url)
        )
        page.goto(path.resolve().as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def site():
    """The folder of the site, where it is built."""
    if not (SITE / "index.html").exists():
        missing("the site (make docs)")
    return SITE


@pytest.fixture(scope="session")
def by_axe():
    """What axe says against a page."""
    try:
        axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()
    except ImportError:
        missing("axe")

    def found(page):
        page.evaluate(DRAWN)
        violations = axe.run(page, options=RULES).response["violations"]
        return [f"{fault['id']}: {node['html'][:120]}" for fault in violations for node in fault["nodes"]]

    return found


@pytest.fixture(scope="session")
def is_sound(by_axe):
    """Whatever is wrong with a page that every page must be spared."""

    def faults(page):
        wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return [*page.faults, *by_axe(page), *([f"{wider} px too wide"] if wider > 0 else [])]

    return faults
