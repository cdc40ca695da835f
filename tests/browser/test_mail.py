"""The HTML of a mail in a real browser, as on a phone and at a desk, in the light and in the dark; and its link."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import Visit
from tests.factories import actor, one_gate, start_flow, status
from tests.services.mailing import Post, html_of, with_address

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_mail_is_read_and_its_link_followed(
    browser: Browser, live_server: LiveServer, settings: Any, width: int, scheme: Any
) -> None:
    settings.WOP_PUBLIC_URL = live_server.url
    with_address("ann")
    gate = {"title": "Release " + "x" * 300, "description": "One.\n\n" + "y" * 400, "timeoutMs": 7_200_000}
    now = datetime.now(UTC)
    run_id = start_flow(one_gate(approversList=["ann"], **gate), by=actor("owner"), now=now)
    post = Post(now=now)
    assert post.send_all() == ["ann"]
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    try:
        page.set_content(html_of(post.last))
        Visit(page, live_server.url, runs_scripts=True).assert_is_in_order()
        page.get_by_role("link", name="Look at it and answer").click()
        expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
        assert status(run_id) == "waiting-approval"
        page.get_by_role("button", name="Approve", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("You approved")
        assert status(run_id) == "completed"
    finally:
        page.close()
