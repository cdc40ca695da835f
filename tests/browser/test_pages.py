"""Each page and state, looked at by axe and by the content policy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, answer, member, one_gate, start_flow, sweep, tenant

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("scripts", [True], indirect=True, ids=["scripts"]),
]

HOSTILE = "<script>alert(1)</script> \u202egnp.exe " + "x" * 200


@pytest.fixture
def ann(visitor: Visitor) -> Visit:
    member("ann", password=PASSWORD)
    member("ann", of="globex")
    visit = visitor()
    visit.sign_in("ann")
    return visit


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/inbox/", "Inbox"),
        ("/inbox/open/", "Inbox"),
        ("/inbox/history/", "Inbox"),
        ("/inbox/?after=damaged", "This page link is damaged"),
        ("/inbox/i-unknown/", "There is nothing at this address"),
        ("/accounts/password/", "Change password"),
        ("/accounts/password/changed/", "Your password is changed"),
    ],
)
def test_each_page_is_in_order(ann: Visit, path: str, heading: str) -> None:
    ann.open(path)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text(heading)
    ann.assert_is_in_order()


def test_signing_in_is_in_order_when_it_fails_too(visitor: Visitor) -> None:
    visit = visitor()
    visit.sign_in("nobody")
    expect(visit.page.locator("#problem")).to_be_focused()
    visit.assert_is_in_order()


def test_hostile_words_neither_run_nor_stick_out(ann: Visit) -> None:
    gate = one_gate(
        title=HOSTILE,
        description=f"{HOSTILE}\n\n[{HOSTILE}](https://example.org/{'y' * 300})",
        artifactType="note",
        artifactData={HOSTILE: [HOSTILE, {"deep": [{"deeper": ["x" * 400]}]}], "table": [{"a": HOSTILE}, {"a": "b"}]},
        approverRoleRefs=["r" * 200],
    )
    start_flow(gate, by=actor("owner"), now=datetime.now(UTC))
    ann.page.on("dialog", lambda dialog: ann.complaints.append(dialog.message))
    ann.open("/inbox/open/")
    ann.assert_is_in_order()
    open_first(ann.page)
    expect(ann.page.get_by_role("heading", level=1)).to_contain_text("⟨U+202E⟩gnp.exe")
    ann.assert_is_in_order()


def test_a_vote_that_can_be_changed_is_in_order(ann: Visit) -> None:
    now = datetime.now(UTC)
    run_id = start_flow(one_gate(requiredApprovals=2), by=actor("owner"), now=now)
    answer(actor("ann"), run_id, {"action": "accept", "feedback": "Yes."}, now=now)
    answer(actor("ann"), run_id, {"action": "ask", "feedback": "But?"}, now=now)
    ann.open("/inbox/open/")
    open_first(ann.page)
    expect(ann.page.get_by_text("Your vote so far.")).to_be_visible()
    ann.assert_is_in_order()


def test_what_timed_out_is_in_order(ann: Visit) -> None:
    now = datetime.now(UTC)
    start_flow(one_gate(timeoutMs=60_000), by=actor("owner"), now=now - timedelta(minutes=5))
    sweep(now=now)
    ann.open("/inbox/history/")
    open_first(ann.page)
    expect(ann.page.get_by_text("Timed out", exact=True)).to_be_visible()
    ann.assert_is_in_order()


def test_the_tenant_is_switched_from_the_bar(ann: Visit) -> None:
    start_flow(one_gate(title="For globex"), by=actor("other", of=tenant("globex").pk), now=datetime.now(UTC))
    ann.page.locator("summary", has_text="acme").click()
    ann.assert_is_in_order()
    ann.page.get_by_role("button", name="globex").click()
    expect(ann.page.get_by_role("link", name="For globex")).to_be_visible()


def open_first(page: Page) -> None:
    page.locator(".row-title a").first.click()
    page.wait_for_load_state()


@pytest.mark.parametrize("width", [1280], indirect=True, ids=["desk"])
def test_a_first_visit_is_small_and_asks_no_one_else(visitor: Visitor) -> None:
    member("ann", password=PASSWORD)
    visit = visitor()
    sizes: dict[str, int] = {}
    visit.page.on("response", lambda response: sizes.update({response.url: len(response.body())}))
    visit.sign_in("ann")
    visit.page.wait_for_load_state("networkidle")
    assert all(url.startswith(visit.base) for url in sizes)
    assert sum(sizes.values()) < 100_000


@pytest.mark.parametrize("width", [1280], indirect=True, ids=["desk"])
def test_a_script_shows_times_in_the_readers_own_zone(visitor: Visitor) -> None:
    member("ann", password=PASSWORD)
    start_flow(one_gate(), by=actor("owner"), now=datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    visit = visitor()
    visit.sign_in("ann")
    open_first(visit.page)
    expect(visit.page.locator("time").first).to_have_text("2 Mar 2026, 10:00 GMT+1")
