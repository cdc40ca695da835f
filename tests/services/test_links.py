"""Links: minted for somebody, dead with their interrupt, and no way around who may answer (interrupt.md §Tokens)."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from approvals.models import Question, Vote
from interrupts.actor import Actor
from interrupts.errors import (
    AlreadyResolved,
    Forbidden,
    NotFound,
    ValidationFailed,
)
from interrupts.models import IdempotencyRecord, Membership
from interrupts.services import tokens
from interrupts.services.idempotency import Done, Key
from interrupts.services.links import inspect_by_token, mint_link, open_link
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
    one_gate,
    start_flow,
    status,
    suspension,
    trail,
    workflow,
)
from tests.services.linking import KEY, link, use

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


# --- Secrecy ----------------------------------------------------------------------------------------------------------


def test_no_token_comes_into_log_lines_events_or_rows(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    member("ann")
    run_id = start_flow(one_gate())
    token = link(run_id, "ann")
    inspect_by_token(token=token, now=NOW)
    kept = Key("acme", "mintInterruptLink", KEY, "d")
    minting: dict[str, Any] = {"actor": actor("owner"), "run_id": run_id, "node_id": "gate", "intent": Intent.RESOLVE}
    assert mint_link(**minting, approver="ann", now=NOW, idempotency_key=kept).token == token
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
