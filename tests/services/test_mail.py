"""What a mail says, and each attempt at sending it: hostile words, servers in trouble, time that passes meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage
from functools import partial
from typing import Any

import pytest
from django.core import mail as box

from approvals import mails, notices
from approvals.mailing import letters, sending
from approvals.models import Mail, MailAttempt, MailOutcome
from interrupts.models import Tenant
from interrupts.services.courier import LONGEST_WAIT, backoff
from tests.architecture.test_front_rules import inline_code
from tests.errands import make_next
from tests.factories import NOW, after, answer, one_gate, register, start, start_flow
from tests.mail_server import MailServer, mail_server
from tests.services.mailing import Post, html_of, outcomes, subject_of, text_of, token_in, with_address

HOUR = 3_600_000


@pytest.fixture
def post(db: None) -> Post:
    with_address("ann")
    return Post()


@pytest.fixture
def server(db: None, settings: Any) -> Iterator[MailServer]:
    """A real mail server, to which mail now goes."""
    with_address("ann")
    with mail_server() as listening:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", listening.port
        settings.WOP_PUBLIC_URL = "https://wop.example.org"
        settings.WOP_MAIL_FROM = "Approvals <wop@example.org>"
        yield listening


def ask(**gate: Any) -> str:
    return start_flow(one_gate(approversList=["ann"], **gate))


def asked(post: Post, **gate: Any) -> EmailMessage:
    """The mail that a gate leads to."""
    ask(**gate)
    assert post.send_all() == ["ann"]
    return post.last


# --- What it says -----------------------------------------------------------------------------------------------------


def test_a_mail_says_what_is_asked_by_whom_until_when_and_what_then(server: MailServer) -> None:
    gate = {"title": "Release 4.2?", "description": "It is **big**.\n\nRead it.", "requiredApprovals": 1}
    ask(**gate, timeoutMs=2 * HOUR)
    Post().send_all()
    mail = server.read()
    assert (subject_of(mail), mail["To"]) == ("Approval needed: Release 4.2?", "ann@example.org")
    assert (mail["From"], mail["Auto-Submitted"]) == ("Approvals <wop@example.org>", "auto-generated")
    assert mail.get_content_type() == "multipart/alternative"
    for body in (text_of(mail), html_of(mail)):
        for said in (
            "Release 4.2?",
            "It is **big**.",
            "started by",
            "2 Mar 2026, 11:00 UTC",
            "due in 2 hours",
            "rejected, never approved",
            "0 of 1 approval",
            "https://wop.example.org/interrupts/ow2.",
            "https://wop.example.org/inbox/i-",
        ):
            assert said in body, said
    assert "> It is **big**." in text_of(mail)


def test_without_a_deadline_it_says_so(post: Post) -> None:
    mail = asked(post)
    assert "There is no deadline" in text_of(mail)
    assert "There is no deadline" in html_of(mail)


def test_a_mail_has_nothing_that_a_mail_program_would_load_or_run(post: Post) -> None:
    html = html_of(asked(post, description="<img src=https://evil.example/x> <script>1</script>"))
    assert [place.split()[1] for place in inline_code(html)] == ["<style>"]
    assert not re.search(r"<(img|script|link|iframe|form|object)\b", html)
    assert "url(" not in html


HOSTILE = "Re\u202elease\r\nBcc: all@evil.example\u2066\u200b<b>\x07"


def test_a_hostile_title_stays_words_in_one_line(post: Post) -> None:
    mail = asked(post, title=HOSTILE)
    assert subject_of(mail) == "Approval needed: Re⟨U+202E⟩lease Bcc: all@evil.example⟨U+2066⟩⟨U+200B⟩<b>⟨U+0007⟩"
    assert mail["Bcc"] is None
    assert box.outbox[-1].recipients() == ["ann@example.org"]
    assert "<b>" not in html_of(mail)
    for body in (text_of(mail), html_of(mail), subject_of(mail)):
        assert not set("\u202e\u2066\u200b\x07\r") & set(body)


def test_hostile_names_around_the_gate_stay_words_too(post: Post) -> None:
    document = one_gate(approversList=["ann", HOSTILE.strip()[:200]])
    register({**document, "name": HOSTILE})
    Tenant.objects.update(title=HOSTILE[:60])
    start(with_address("owner"))
    post.send_all()
    for body in (text_of(post.last), html_of(post.last)):
        assert not set("\u202e\u2066\u200b\x07\r") & set(body)
        assert "\nBcc:" not in body
    assert "<b>" not in html_of(post.last)


@pytest.mark.parametrize("letter", ["x", "\u202e", "é", "界", "\U0001f600"])
def test_long_texts_are_cut(post: Post, letter: str) -> None:
    mail = asked(post, title=letter * 500, description=letter * 10_000)
    assert len(subject_of(mail)) <= 120
    assert subject_of(mail).endswith("…")
    assert len(text_of(mail)) < 3_000
    assert len(html_of(mail)) < 6_000


def test_a_title_that_is_a_template_or_a_format_is_only_text(post: Post) -> None:
    title = "{{ link.url }} %(at)s {0} {% now 'Y' %}"
    mail = asked(post, title=title)
    assert title in subject_of(mail)
    assert title in text_of(mail)


def test_no_line_is_longer_than_mail_allows(server: MailServer) -> None:
    ask(title="界" * 500, description="x" * 10_000)
    Post().send_all()
    assert max(map(len, server.mails[-1].splitlines())) <= 998


# --- Attempts ---------------------------------------------------------------------------------------------------------


def test_every_attempt_has_the_same_message_id_and_no_other_mail_has_it(server: MailServer) -> None:
    ask()
    start_flow(one_gate("other", approversList=["ann"]))
    Post().send_all()
    mails.send_again(Mail.objects.values_list("pk", flat=True), now=NOW)
    Post().send_all()
    ids = [server.read(number)["Message-ID"] for number in range(4)]
    assert ids[:2] == ids[2:]
    assert ids[0] != ids[1]
    assert re.fullmatch(r"<[0-9a-f]{40}@example\.org>", ids[0])


def attempts_at_the_mail() -> list[str]:
    return list(MailAttempt.objects.order_by("number").values_list("error", flat=True))


def fail_until_dead(post: Post) -> None:
    for _ in range(mails.MAX_ATTEMPTS):
        post.send_all()
        post.now += LONGEST_WAIT


def test_a_server_that_refuses_is_tried_with_growing_waits_and_then_given_up(server: MailServer, post: Post) -> None:
    server.answer_to_recipient = "550 No such\u202e person"
    ask()
    fail_until_dead(post)
    told = "The mail server answered 550: No such⟨U+202E⟩ person"
    assert attempts_at_the_mail() == [told] * mails.MAX_ATTEMPTS
    assert (outcomes(), Mail.objects.get().last_error) == ([("ann", "dead")], told)
    fail_until_dead(post)
    assert MailAttempt.objects.count() == mails.MAX_ATTEMPTS


def test_waits_begin_with_half_a_minute() -> None:
    for attempt, longest in ((1, 30), (2, 60), (3, 120), (40, 3600)):
        waits = [backoff(attempt, first=sending.FIRST_WAIT).total_seconds() for _ in range(50)]
        assert longest / 2 <= min(waits) < max(waits) <= longest


def test_after_a_failure_the_next_attempt_comes_by_itself(server: MailServer, post: Post) -> None:
    server.answer_to_mail = "451 Try again"
    ask()
    post.send_all()
    assert outcomes() == [("ann", None)]
    server.answer_to_mail = "250 Taken"
    post.send_all()
    assert outcomes() == [("ann", None)], "the wait is not over"
    post.now = after(seconds=30)
    post.send_all()
    assert outcomes() == [("ann", "sent")]
    assert attempts_at_the_mail() == ["The mail server answered 451: Try again", ""]


def test_a_server_that_quotes_the_link_gets_it_into_no_record(
    server: MailServer, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    ask()

    def quote() -> None:
        server.answer_to_mail = f"554 Blocked: https://wop.example.org/interrupts/{token_in(server.read())}"

    server.before_answer = quote
    post.send_all()
    assert (
        Mail.objects.get().last_error == "The mail server answered 554: Blocked: https://wop.example.org/interrupts/…"
    )
    assert "ow2." not in caplog.text + repr([*MailAttempt.objects.values()])


def test_a_server_that_is_not_there_is_tried_again(server: MailServer, post: Post, settings: Any) -> None:
    settings.EMAIL_PORT = 1
    ask()
    post.send_all()
    assert outcomes() == [("ann", None)]
    assert Mail.objects.get().last_error == "The mail server could not be reached: Connection refused"


def test_a_mail_that_cannot_be_made_holds_up_no_other(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    made = letters.letter
    ask()
    start_flow(one_gate("other", approversList=["ann"]))

    def letter(mail: Mail, **at: Any) -> Any:
        return 1 / 0 if mail.notice.suspension.run.workflow_key == "flow" else made(mail, **at)

    monkeypatch.setattr("approvals.mailing.sending.letter", letter)
    assert post.send_all() == ["ann"]
    assert sorted(Mail.objects.values_list("last_error", flat=True)) == [
        "",
        "The mail could not be made: ZeroDivisionError",
    ]


def test_a_dead_mail_that_is_sent_again_gets_as_many_attempts_anew(server: MailServer, post: Post) -> None:
    server.answer_to_recipient = "550 No"
    ask()
    fail_until_dead(post)
    assert mails.send_again([Mail.objects.get().pk], now=post.now) == 1
    fail_until_dead(post)
    assert (outcomes(), MailAttempt.objects.count()) == ([("ann", "dead")], 2 * mails.MAX_ATTEMPTS)


def test_a_mail_under_way_is_not_sent_again_by_hand(post: Post) -> None:
    ask()
    notices.spread_next(now=NOW)
    assert len(mails.claim(now=NOW, limit=9)) == 1
    assert mails.send_again([Mail.objects.get().pk], now=NOW) == 0
    assert mails.send_again([Mail.objects.get().pk], now=NOW + mails.LEASE) == 1


# --- Workers that die, and time that passes ---------------------------------------------------------------------------


def test_what_a_worker_died_of_comes_back_after_its_lease(post: Post) -> None:
    ask()
    notices.spread_next(now=NOW)
    assert len(mails.claim(now=NOW, limit=9)) == 1
    assert post.send_all() == []
    post.now = NOW + mails.LEASE
    assert post.send_all() == ["ann"]
    assert [bool(at.ended_at) for at in MailAttempt.objects.order_by("number")] == [False, True]


def test_what_workers_died_of_each_time_is_given_up(post: Post) -> None:
    ask()
    notices.spread_next(now=NOW)
    for number in range(mails.MAX_ATTEMPTS):
        assert len(mails.claim(now=NOW + number * mails.LEASE, limit=9)) == 1
    assert mails.claim(now=NOW + mails.MAX_ATTEMPTS * mails.LEASE, limit=9) == []
    assert outcomes() == [("ann", "dead")]


def test_a_worker_that_outlived_its_lease_does_not_undo_what_came_after(post: Post) -> None:
    ask()
    notices.spread_next(now=NOW)
    (slow,) = mails.claim(now=NOW, limit=9)
    later = NOW + mails.LEASE
    (quick,) = mails.claim(now=later, limit=9)
    mails.failed(slow, reason="Too slow.", wait=mails.LEASE, now=later)
    assert Mail.objects.get().leased_until == later + mails.LEASE
    mails.sent(quick, now=later)
    mails.dropped(slow, reason="Too late.", now=later)
    assert (Mail.objects.get().outcome, Mail.objects.get().last_error) == (MailOutcome.SENT, "")


def test_a_deadline_that_passes_while_the_server_fails_ends_the_attempts(server: MailServer, post: Post) -> None:
    server.answer_to_mail = "451 Try again"
    ask(timeoutMs=60_000)
    post.send_all()
    server.answer_to_mail = "250 Taken"
    post.now = after(seconds=60)
    post.send_all()
    assert (outcomes(), len(server.mails)) == ([("ann", "dropped")], 1)


def test_a_deadline_that_passes_between_the_look_and_the_link_mints_none(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(timeoutMs=60_000)
    notices.spread_next(now=NOW)
    clock = iter([NOW, NOW, NOW, *[after(seconds=60)] * 9])
    assert make_next(partial(sending.take_due, clock=lambda: next(clock)))
    assert (outcomes(), box.outbox) == ([("ann", "dropped")], [])
    assert Mail.objects.get().last_error == "The deadline of this interrupt has passed."


def test_a_gate_that_is_decided_while_the_server_fails_is_mailed_no_more(server: MailServer, post: Post) -> None:
    server.answer_to_mail = "451 Try again"
    run_id = ask()
    post.send_all()
    answer(with_address("ann"), run_id, "reject")
    post.now = after(minutes=1)
    post.send_all()
    assert (outcomes(), len(server.mails)) == ([("ann", "dropped")], 1)
