"""A real Chromium against the real pages: one browser a session, one context a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "secret-pass-1"


@dataclass(frozen=True, slots=True)
class Visit:
    """One person at one screen. What the browser complained about is kept for the end of the test."""

    page: Page
    base: str
    runs_scripts: bool
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)

    def sign_in(self, username: str) -> None:
        self.open("/accounts/login/?next=/inbox/")
        self.page.get_by_label("User name").fill(username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()

    def assert_fits_and_keeps_the_policy(self) -> None:
        """Nothing sticks out sideways, and nothing broke the content policy.

        Waits first: between two pages there is a moment in which the document has no element to measure.
        """
        self.page.wait_for_load_state()
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(width) == 0, self.page.url
        assert self.complaints == []

    def assert_is_in_order(self) -> None:
        """It fits, keeps the policy, and axe finds nothing.

        Axe is a script itself: where scripts are off it cannot run, and the pages are the same ones.
        """
        self.assert_fits_and_keeps_the_policy()
        if self.runs_scripts:
            found = Axe().run(self.page).response["violations"]
            assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


Visitor = Callable[[], Visit]


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread: Django would take everything here for asynchronous code.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        launched = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield launched
        launched.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the desk without scripts where a phone shows the same without scripts: it has less room."""
    without_scripts = [item for item in items if _parameters(item).get("scripts") is False]
    shown_by_a_phone = {_function(item) for item in without_scripts if _parameters(item).get("width") == 320}
    redundant = [
        item
        for item in without_scripts
        if _parameters(item).get("width") == 1280 and _function(item) in shown_by_a_phone
    ]
    config.hook.pytest_deselected(items=redundant)
    items[:] = [item for item in items if item not in redundant]


def _parameters(item: pytest.Item) -> dict[str, Any]:
    return dict(item.callspec.params) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.fixture(params=[1280, 320], ids=["desk", "phone"])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def visitor(browser: Browser, live_server: LiveServer, width: int, scripts: bool) -> Iterator[Visitor]:
    """Make visits: each with a browser context of its own, so each can be another person."""
    contexts = []

    def visit() -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=scripts, timezone_id="Europe/Berlin"
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        made = Visit(context.new_page(), live_server.url, runs_scripts=scripts)

        def note(message: ConsoleMessage) -> None:
            # A page that tells of a refusal has its status, which the console calls a failed resource.
            if message.type in {"error", "warning"} and "the server responded with a status of 4" not in message.text:
                made.complaints.append(message.text)

        made.page.on("console", note)
        made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
        return made

    yield visit
    for context in contexts:
        context.close()
