"""Links: minted for somebody, dead with their interrupt, and no way around who may answer (interrupt.md §Tokens)."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

import pytest

from approvals.models import Question, Vote
from interrupts.actor import Actor
from interrupts.errors import (
    AlreadyResolved,
    Forbidden,
    IdempotencyKeyInvalid,
    IdempotencyKeyMismatch,
    InterruptExpired,
    InterruptTokenInvalid,
    NotFound,
    ValidationFailed,
    WopError,
)
from interrupts.models import IdempotencyRecord, Membership
from interrupts.services import tokens
from interrupts.services.idempotency import Done, ReplayedError
from interrupts.services.links import TokenAnswer, inspect_by_token, mint_link, open_link, resolve_by_token
from interrupts.services.resolve import ResumeValue
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Claims, Intent
from interrupts.vocabulary import Lane, RefKind
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    edge,
    gate_node,
    last,
    let_answer_as,
    member,
    node,
    one_gate,
    start_flow,
    status,
    suspension,
    sweep,
    trail,
    workflow,
)

KEY = "0123456789abcdefghij-key-"


def link(run_id: str, approver: str = "", *, intent: Intent = Intent.RESOLVE, now: datetime = NOW) -> str:
    minted = mint_link(actor=actor("owner"), run_id=run_id, node_id="gate", intent=intent, approver=approver, now=now)
    return minted.token


def use(token: str, value: Any = "accept", *, now: datetime = NOW, key: str | None = None, digest: str = "d") -> Done:
    given = {"action": value} if isinstance(value, str) else value
    request = TokenAnswer(token=token, answer=ResumeValue(given), key=key, digest=digest)
    return resolve_by_token(request=request, now=now)


# --- Minting ----------------------------------------------------------------------------------------------------------


def test_a_link_says_whom_it_is_for_by_their_subject_id() -> None:
    ann = member("ann")
    run_id = start_flow(one_gate())
    for name in ("ann", ann.subject_id):
        made = tokens.read(link(run_id, name))
        assert made == Claims(
            run_id=run_id,
            node_id="gate",
            interrupt_id=suspension(run_id).pk,
            expires_at=after(minutes=30),
            intent=Intent.RESOLVE,
            approver=ann.subject_id,
        )


def test_a_user_name_that_is_somebody_elses_subject_id_gets_nobodys_link() -> None:
    ann = member("ann")
    member(ann.subject_id)
    assert tokens.read(link(start_flow(one_gate()), ann.subject_id)).approver == ann.subject_id


def test_a_link_ends_with_the_deadline() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    assert tokens.read(link(run_id)).expires_at == after(minutes=1)
    with pytest.raises(AlreadyResolved, match="deadline"):
        link(run_id, now=after(minutes=1))


@pytest.mark.parametrize("name", ["nobody", "zoe", "gone", "locked"])
def test_only_an_active_member_of_the_tenant_gets_a_link(name: str) -> None:
    member("zoe", of="globex")
    Membership.objects.filter(pk=member("gone").pk).update(is_active=False)
    locked = member("locked").user
    locked.is_active = False
    locked.save(update_fields=["is_active"])
    run_id = start_flow(one_gate())
    with pytest.raises(ValidationFailed) as refused:
        link(run_id, name)
    assert refused.value.details == {"field": "approver"}


def test_there_is_no_link_to_what_does_not_wait() -> None:
    run_id = start_flow(workflow([gate_node(), gate_node("later")], [edge("gate", "later")]))
    minting: dict[str, Any] = {"actor": actor("owner"), "intent": Intent.RESOLVE, "approver": "", "now": NOW}
    for run, node_id, error in [
        (run_id, "later", NotFound),
        (run_id, "nowhere", NotFound),
        ("acme/r-0123456789abcdef", "gate", NotFound),
    ]:
        with pytest.raises(error):
            mint_link(run_id=run, node_id=node_id, **minting)
    answer(actor("ann"), run_id, "accept")
    with pytest.raises(AlreadyResolved):
        mint_link(run_id=run_id, node_id="gate", **minting)


def test_nobody_mints_for_another_tenant() -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(NotFound):
        mint_link(
            actor=actor("zoe", of="globex"),
            run_id=run_id,
            node_id="gate",
            intent=Intent.RESOLVE,
            approver="",
            now=NOW,
        )


# --- Looking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intent", list(Intent))
def test_a_link_shows_the_payload_and_nothing_is_used_up(intent: Intent) -> None:
    run_id = start_flow(one_gate())
    token, before = link(run_id, intent=intent), trail(run_id)
    for _ in range(3):
        assert inspect_by_token(token=token, now=NOW) == last(run_id, "interrupt.requested")
    assert trail(run_id) == before


# --- Answering --------------------------------------------------------------------------------------------------------


def test_an_answer_by_link_is_the_answer_of_its_approver() -> None:
    ann = member("ann")
    run_id = start_flow(one_gate(approversList=["ann"]))
    done = use(link(run_id, "ann"), {"action": "accept", "feedback": "Yes."})
    assert done == Done({"runId": run_id, "nodeId": "gate", "status": "completed"})
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("accept", "granted")
    assert "resolvedBy" not in resolved
    assert resolved["x-votes"] == [
        {
            "voter": ann.subject_id,
            "actor": ann.subject_id,
            "action": "accept",
            "via": "principal:ann",
            "onBehalfOf": None,
            "castAt": "2026-03-02T09:00:00.000Z",
        }
    ]


def test_a_link_that_names_nobody_is_one_voter_however_often_it_is_minted() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    for _ in range(3):
        assert use(link(run_id)).result["status"] == "waiting-approval"
    vote = Vote.objects.get()
    assert vote.voter == vote.actor == f"token:{suspension(run_id).pk.partition('/')[2]}"
    answer(actor("ann"), run_id, "accept")
    assert status(run_id) == "completed"


def test_a_link_and_a_session_of_one_person_are_one_voter() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(requiredApprovals=2, approversList=["ann", "ben"]))
    answer(ann, run_id, "accept")
    assert use(link(run_id, "ann")).result["status"] == "waiting-approval"
    actor("ben")
    assert use(link(run_id, "ben")).result["status"] == "completed"


def test_a_link_that_names_nobody_answers_no_gate_that_names_somebody() -> None:
    run_id = start_flow(one_gate(approversList=["ann"]))
    with pytest.raises(Forbidden):
        use(link(run_id))
    assert status(run_id) == "waiting-approval"
    assert inspect_by_token(token=link(run_id), now=NOW)["kind"] == "approval"


@pytest.mark.parametrize(
    "names", [{"approversList": ["ann"]}, {"approverGroupRefs": ["finance"]}, {"approverRoleRefs": ["manager"]}]
)
def test_a_link_for_somebody_the_gate_does_not_name_answers_nothing(names: dict[str, Any]) -> None:
    member("ben")
    run_id = start_flow(one_gate(**names))
    with pytest.raises(Forbidden):
        use(link(run_id, "ben"))
    assert Vote.objects.count() == 0


def test_who_may_answer_is_looked_up_when_they_do() -> None:
    ben = actor("ben")
    run_id = start_flow(one_gate(approverRoleRefs=["manager"]))
    token = link(run_id, "ben")
    with pytest.raises(Forbidden):
        use(token)
    let_answer_as(ben, RefKind.ROLE, "manager")
    assert use(token).result["status"] == "completed"


def test_a_link_ends_with_the_access_of_its_approver() -> None:
    ann = member("ann")
    run_id = start_flow(one_gate())
    token = link(run_id, "ann")
    Membership.objects.filter(pk=ann.pk).update(is_active=False)
    with pytest.raises(Forbidden, match="no longer active"):
        use(token)
    with pytest.raises(Forbidden, match="no longer active"):
        inspect_by_token(token=token, now=NOW)


def test_a_link_stays_its_approvers_when_the_name_goes_to_somebody_else() -> None:
    ann = member("ann")
    run_id = start_flow(one_gate(approversList=[ann.subject_id]))
    token = link(run_id, "ann")
    ann.user.username = "ann.old"
    ann.user.save(update_fields=["username"])
    member("ann")
    use(token)
    assert Vote.objects.get().actor == ann.subject_id


def test_a_question_by_link_leaves_the_gate_open() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    assert use(token, {"action": "ask", "feedback": "Why?"}).result["status"] == "waiting-approval"
    assert Question.objects.get().text == "Why?"
    assert use(token).result["status"] == "completed"


def test_a_bad_value_changes_nothing_and_the_link_stays_good() -> None:
    run_id = start_flow(one_gate(actions=["accept"]))
    token = link(run_id)
    values: list[Any] = ["timeout", "reject", 7, None, {}]
    for value in values:
        with pytest.raises(ValidationFailed):
            use(token, value)
    assert use(token).result["status"] == "completed"


# --- Dead links -------------------------------------------------------------------------------------------------------


def assert_dead(token: str, error: type[WopError], *, now: datetime = NOW) -> None:
    """Neither looking nor answering works, with or without a key, and again with the key."""
    for key in (None, KEY, KEY):
        with pytest.raises((error, ReplayedError)) as refused:
            use(token, now=now, key=key)
        told: Any = getattr(refused.value, "error", refused.value)
        assert told.code == error.code
    with pytest.raises(error):
        inspect_by_token(token=token, now=now)


def test_a_link_is_dead_once_its_gate_is_decided() -> None:
    run_id = start_flow(one_gate())
    own, other = link(run_id), link(run_id)
    use(own)
    assert_dead(own, AlreadyResolved)
    assert_dead(other, AlreadyResolved)
    assert trail(run_id).count("interrupt.resolved gate") == 1


def test_a_link_is_dead_once_its_run_is_cancelled() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    cancel_run(request=CancelRun(actor=actor("owner"), run_id=run_id), now=NOW)
    assert_dead(token, AlreadyResolved)


def test_a_link_is_dead_once_its_run_failed_elsewhere() -> None:
    run_id = start_flow(workflow([gate_node(), gate_node("other")]))
    token = link(run_id)
    answer(actor("ann"), run_id, "reject", at="other")
    assert status(run_id) == "failed"
    assert_dead(token, AlreadyResolved)


def test_a_link_to_one_visit_never_answers_the_next() -> None:
    nodes = [node("start"), gate_node(), node("rework")]
    edges = [
        edge("start", "gate", "any_success"),
        edge("gate", "rework", "any_failed"),
        edge("rework", "gate", "any_success"),
    ]
    run_id = start_flow(workflow(nodes, edges))
    token = link(run_id)
    answer(actor("ann"), run_id, "reject", now=after(minutes=1))
    assert suspension(run_id).outcome is None
    assert_dead(token, AlreadyResolved)
    assert use(link(run_id)).result["status"] == "completed"


def test_an_expired_link_is_told_so_before_anything_else() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    assert_dead(token, InterruptExpired, now=after(minutes=30))
    assert use(token, now=after(minutes=29)).result["status"] == "completed"
    assert_dead(token, InterruptExpired, now=after(minutes=30))


def test_a_timed_out_gate_has_no_living_links() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    token = link(run_id)
    assert_dead(token, InterruptExpired, now=after(minutes=1))
    sweep(now=after(minutes=1))
    assert_dead(token, InterruptExpired, now=after(minutes=2))
    assert last(run_id, "interrupt.resolved")["reason"] == "timeout"


def test_an_inspecting_link_answers_nothing() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id, intent=Intent.INSPECT)
    with pytest.raises(Forbidden, match="only shows the question"):
        use(token)
    assert status(run_id) == "waiting-approval"
    answer(actor("ann"), run_id, "accept")
    assert_dead(token, AlreadyResolved)


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "acme/r-0123456789abcdef"},
        {"node_id": "other"},
        {"interrupt_id": "acme/i-0123456789abcdef"},
        {"interrupt_id": "nowhere/i-0123456789abcdef"},
        {"interrupt_id": "bare"},
    ],
)
def test_an_authentic_token_about_nothing_of_ours_is_a_dead_one(change: dict[str, str]) -> None:
    """As a v1 token is whose interrupt was never brought over: it was ours, and there is nothing behind it."""
    made = tokens.read(link(start_flow(one_gate())))
    members: dict[str, Any] = {name: getattr(made, name) for name in Claims.__slots__}
    assert_dead(tokens.mint(Claims(**{**members, **change})), AlreadyResolved)
    assert IdempotencyRecord.objects.count() == 0


def test_a_forged_token_is_refused_before_its_key_is_looked_at() -> None:
    with pytest.raises(InterruptTokenInvalid):
        use("ow2.hs256.nokid.x.y", key="short")


# --- Idempotency ------------------------------------------------------------------------------------------------------


def test_a_repeated_answer_is_given_its_outcome_by_another_link_too() -> None:
    run_id = start_flow(one_gate())
    first = use(link(run_id), key=KEY)
    again = use(link_at(run_id, after(minutes=5)), key=KEY, now=after(minutes=20))
    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.result == first.result
    assert IdempotencyRecord.objects.get().tenant_id == "acme"


def link_at(run_id: str, now: datetime) -> str:
    """What was minted at another time, of the same interrupt, decided or not."""
    interrupt = suspension(run_id)
    return tokens.mint(Claims(run_id, "gate", interrupt.pk, tokens.expiry(deadline=None, now=now), Intent.RESOLVE))


def test_a_recorded_success_wins_over_expiry() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    use(token, key=KEY)
    assert use(token, key=KEY, now=after(hours=2)).is_replay
    with pytest.raises(InterruptExpired):
        use(token, now=after(hours=2))


def test_a_new_link_is_not_told_that_the_old_one_expired() -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(InterruptExpired):
        use(link(run_id), key=KEY, now=after(minutes=31))
    assert use(link(run_id, now=after(minutes=31)), key=KEY, now=after(minutes=31)).result["status"] == "completed"


def test_another_body_or_another_approver_is_another_request() -> None:
    actor("ann")
    actor("ben")
    run_id = start_flow(one_gate(requiredApprovals=2))
    use(link(run_id, "ann"), key=KEY)
    for token, digest in [(link(run_id, "ann"), "other"), (link(run_id, "ben"), "d")]:
        with pytest.raises(IdempotencyKeyMismatch):
            use(token, key=KEY, digest=digest)


def test_a_refusal_for_good_is_given_again() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    answer(actor("ann"), run_id, "accept")
    with pytest.raises(AlreadyResolved):
        use(token, key=KEY)
    with pytest.raises(ReplayedError) as again:
        use(token, key=KEY)
    assert again.value.error.code == "interrupt_already_resolved"


@pytest.mark.parametrize("key", ["", "short", "x" * 129, "with a blank in its midst"])
def test_a_key_outside_its_grammar_is_refused(key: str) -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(IdempotencyKeyInvalid):
        use(link(run_id), key=key)
    assert status(run_id) == "waiting-approval"


# --- Secrecy ----------------------------------------------------------------------------------------------------------


def test_no_token_comes_into_log_lines_events_or_rows(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    member("ann")
    run_id = start_flow(one_gate())
    token = link(run_id, "ann")
    inspect_by_token(token=token, now=NOW)
    use(token, key=KEY)
    said = caplog.text + str(trail(run_id)) + str(list(IdempotencyRecord.objects.values()))
    said += str(last(run_id, "interrupt.resolved"))
    assert "link minted" in said
    assert "interrupt answered by link" in said
    for secret in (token, token.rpartition(".")[2], token.split(".")[3]):
        assert secret not in said


def test_the_holder_of_a_link_is_no_subject_on_the_wire() -> None:
    run_id = start_flow(one_gate())
    holder: Actor = open_link(token=link(run_id), now=NOW).actor
    assert (holder.lane, holder.resolver, holder.user_id) == (Lane.LINK, None, None)
