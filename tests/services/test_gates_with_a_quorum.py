"""Gates that need several people (interrupt.md §Approval, §Rejection; wire contract §15.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from approvals.models import Vote
from interrupts.errors import AlreadyResolved, Forbidden
from interrupts.models import Membership
from interrupts.vocabulary import RefKind
from tests.factories import (
    actor,
    after,
    answer,
    last,
    let_answer_as,
    let_override,
    one_gate,
    ref,
    register,
    start,
    start_flow,
    status,
    trail,
)

WAITING = ["run.started", "node.started gate", "interrupt.requested gate", "node.suspended gate"]


def votes() -> list[tuple[str, str]]:
    """What stands on record: for whom, and what."""
    names = dict(Membership.objects.values_list("subject_id", "user__username"))
    return [(names[vote.voter], vote.action) for vote in Vote.objects.order_by("cast_at", "id")]


def let_vote(run_id: str, said: Sequence[tuple[str, str]]) -> str:
    """Let people answer in turn, a minute apart, and return where the run then stands."""
    for minute, (name, action) in enumerate(said):
        answer(actor(name), run_id, action, now=after(minutes=minute + 1))
    return status(run_id)


def test_a_vote_that_does_not_decide_is_kept_and_logs_nothing() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    done = answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    assert done.result["status"] == "waiting-approval"
    assert trail(run_id) == WAITING
    assert votes() == [("ann", "accept")]


def test_the_last_accept_that_is_needed_grants_the_gate_and_all_votes_are_in_the_log() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3))
    assert let_vote(run_id, [("ann", "accept"), ("ben", "accept")]) == "waiting-approval"
    answer(actor("cleo"), run_id, {"action": "accept", "feedback": "Go."}, now=after(minutes=3))
    assert status(run_id) == "completed"
    resolved = last(run_id, "interrupt.resolved")
    assert resolved["decision"] == "granted"
    assert resolved["resolvedBy"]["subjectId"] == actor("cleo").subject_id
    assert resolved["resumeValue"]["feedback"] == "Go."
    assert [(vote["voter"], vote["castAt"]) for vote in resolved["x-votes"]] == [
        (actor("ann").subject_id, "2026-03-02T09:01:00.000Z"),
        (actor("ben").subject_id, "2026-03-02T09:02:00.000Z"),
        (actor("cleo").subject_id, "2026-03-02T09:03:00.000Z"),
    ]


def test_one_veto_ends_a_gate_at_once_where_nothing_else_is_said() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3))
    assert let_vote(run_id, [("ann", "accept"), ("ben", "accept"), ("cleo", "reject")]) == "failed"
    assert last(run_id, "interrupt.resolved")["decision"] == "rejected"
    assert last(run_id, "run.failed")["failedNodeId"] == "gate"


@pytest.mark.parametrize(("required", "rejects"), [(1, 1), (2, 2), (3, 2), (4, 3)])
def test_a_majority_of_rejects_ends_a_gate_and_one_fewer_does_not(required: int, rejects: int) -> None:
    run_id = start_flow(one_gate(requiredApprovals=required, rejectionPolicy="majority"))
    people = ["ann", "ben", "cleo"][:rejects]
    *first, deciding = [(name, "reject") for name in people]
    assert let_vote(run_id, first) == "waiting-approval"
    assert trail(run_id) == WAITING
    assert let_vote(run_id, [deciding]) == "failed"
    assert last(run_id, "interrupt.resolved")["action"] == "reject"


def test_a_minority_of_rejects_does_not_stop_the_others() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3, rejectionPolicy="majority"))
    said = [("ann", "reject"), ("ben", "accept"), ("cleo", "accept"), ("dan", "accept")]
    assert let_vote(run_id, said) == "completed"
    assert last(run_id, "interrupt.resolved")["decision"] == "granted"


def test_one_person_who_accepts_twice_counts_once() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    assert let_vote(run_id, [("ann", "accept"), ("ann", "accept")]) == "waiting-approval"
    assert votes() == [("ann", "accept")]


def test_a_changed_vote_replaces_the_earlier_one() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3, rejectionPolicy="majority"))
    said = [("ann", "reject"), ("ann", "accept"), ("ben", "reject")]
    assert let_vote(run_id, said) == "waiting-approval"
    assert votes() == [("ann", "accept"), ("ben", "reject")]
    assert let_vote(run_id, [("ann", "reject")]) == "failed"


def test_no_vote_is_taken_once_the_gate_is_decided() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    let_vote(run_id, [("ann", "accept"), ("ben", "accept")])
    with pytest.raises(AlreadyResolved):
        answer(actor("cleo"), run_id, "reject")
    assert votes() == [("ann", "accept"), ("ben", "accept")]


def test_a_question_is_no_vote_and_keeps_the_askers_earlier_vote() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    assert let_vote(run_id, [("ann", "accept"), ("ann", "ask"), ("ben", "ask")]) == "waiting-approval"
    assert votes() == [("ann", "accept")]


@pytest.mark.parametrize(
    "value",
    [
        {"action": "refine", "refineFeedback": {"scope": "whole", "text": "Shorter."}},
        {"action": "edit-accept", "editedArtifactData": {"amount": 4}},
    ],
)
def test_a_refinement_or_an_edit_is_an_accepting_vote_and_no_way_round_the_quorum(value: dict[str, object]) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, value)  # type: ignore[arg-type]
    assert (status(run_id), trail(run_id)) == ("waiting-approval", WAITING)
    answer(actor("ben"), run_id, "accept")
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("accept", "granted")
    assert "refineFeedback" not in resolved
    assert "editedArtifactData" not in resolved
    assert [vote["action"] for vote in resolved["x-votes"]] == [value["action"], "accept"]


def test_the_deciding_votes_action_and_data_are_the_gates() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept")
    answer(actor("ben"), run_id, {"action": "edit-accept", "editedArtifactData": 4})
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["editedArtifactData"]) == ("edit-accept", 4)


# --- People who left --------------------------------------------------------------------------------------------------


def test_the_vote_of_somebody_who_left_the_tenant_does_not_count() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    Membership.objects.filter(user__username="ann").update(is_active=False)
    assert let_vote(run_id, [("ben", "accept")]) == "waiting-approval"
    assert let_vote(run_id, [("cleo", "accept")]) == "completed"
    voters = [vote["voter"] for vote in last(run_id, "interrupt.resolved")["x-votes"]]
    assert voters == [actor("ben").subject_id, actor("cleo").subject_id]


def test_the_vote_of_a_deactivated_user_does_not_count() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    User.objects.filter(username="ann").update(is_active=False)
    assert let_vote(run_id, [("ben", "accept")]) == "waiting-approval"


def test_a_deactivated_persons_reject_does_not_count_towards_a_majority() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2, rejectionPolicy="majority"))
    answer(actor("ann"), run_id, "reject", now=after(minutes=1))
    User.objects.filter(username="ann").update(is_active=False)
    assert let_vote(run_id, [("ben", "reject")]) == "waiting-approval"


# --- Standing in ------------------------------------------------------------------------------------------------------


def test_a_stand_in_votes_as_the_absent_one() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    ann, zoe = actor("ann"), actor("zoe")
    let_answer_as(zoe, RefKind.PRINCIPAL, "ann")
    assert let_vote(run_id, [("zoe", "accept"), ("ben", "accept")]) == "completed"
    votes_on_record = last(run_id, "interrupt.resolved")["x-votes"]
    assert votes_on_record[0] == {
        "voter": ann.subject_id,
        "actor": zoe.subject_id,
        "action": "accept",
        "via": "principal:ann",
        "onBehalfOf": "ann",
        "castAt": "2026-03-02T09:01:00.000Z",
    }


def test_a_person_and_their_stand_in_fill_one_seat() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    actor("ann")
    let_answer_as(actor("zoe"), RefKind.PRINCIPAL, "ann")
    assert let_vote(run_id, [("zoe", "accept"), ("ann", "accept")]) == "waiting-approval"
    assert votes() == [("ann", "accept")]


def test_a_stand_in_cannot_overturn_what_the_person_said_themselves() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2, rejectionPolicy="majority"))
    actor("ann")
    let_answer_as(actor("zoe"), RefKind.PRINCIPAL, "ann")
    let_vote(run_id, [("ann", "accept")])
    with pytest.raises(Forbidden, match="has already answered"):
        let_vote(run_id, [("zoe", "reject")])
    assert votes() == [("ann", "accept")]


def test_the_vote_for_somebody_deactivated_since_does_not_count() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    actor("ann")
    let_answer_as(actor("zoe"), RefKind.PRINCIPAL, "ann")
    let_vote(run_id, [("zoe", "accept")])
    User.objects.filter(username="ann").update(is_active=False)
    assert let_vote(run_id, [("ben", "accept")]) == "waiting-approval"


def test_a_stand_in_for_two_people_fills_one_seat() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    actor("ann")
    actor("ben")
    zoe = actor("zoe")
    let_answer_as(zoe, RefKind.PRINCIPAL, "ann")
    let_answer_as(zoe, RefKind.PRINCIPAL, "ben")
    assert let_vote(run_id, [("zoe", "accept"), ("zoe", "accept")]) == "waiting-approval"
    assert Vote.objects.count() == 1


def test_a_named_approver_who_stands_in_as_well_votes_for_themselves() -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    actor("ann")
    let_answer_as(actor("ben"), RefKind.PRINCIPAL, "ann")
    assert let_vote(run_id, [("ben", "accept"), ("ben", "accept")]) == "waiting-approval"
    assert votes() == [("ben", "accept")]


def test_a_stand_in_who_becomes_an_approver_meanwhile_still_fills_one_seat() -> None:
    """First for the absent one, then by a right of their own: the later answer takes the place of the earlier."""
    run_id = start_flow(one_gate(approversList=["ann"], approverGroupRefs=["legal"], requiredApprovals=2))
    actor("ann")
    let_answer_as(actor("zoe"), RefKind.PRINCIPAL, "ann")
    assert let_vote(run_id, [("zoe", "accept")]) == "waiting-approval"
    assert votes() == [("ann", "accept")]
    User.objects.get(username="zoe").groups.add(Group.objects.create(name="legal"))
    assert let_vote(run_id, [("zoe", "accept")]) == "waiting-approval"
    assert votes() == [("zoe", "accept")]
    assert let_vote(run_id, [("ann", "accept")]) == "completed"


def test_a_stand_in_found_by_subject_id_represents_that_person() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(approversList=[ann.subject_id, "ben"], requiredApprovals=2))
    let_answer_as(actor("zoe"), RefKind.PRINCIPAL, ann.subject_id)
    assert let_vote(run_id, [("zoe", "accept"), ("ann", "accept")]) == "waiting-approval"
    assert votes() == [("ann", "accept")]


def test_two_people_of_a_group_fill_two_seats() -> None:
    run_id = start_flow(one_gate(approverGroupRefs=["legal"], requiredApprovals=2))
    for name in ("ann", "ben"):
        actor(name, groups=["legal"])
    assert let_vote(run_id, [("ann", "accept"), ("ben", "accept")]) == "completed"


# --- Override ---------------------------------------------------------------------------------------------------------


def start_with_override(**config: object) -> str:
    document = one_gate(requiredApprovals=3, **config)
    workflow = register(document)
    let_override(actor("boss"), workflow)
    return start(actor("owner"))


def test_an_override_principal_releases_alone_where_the_gate_allows_it() -> None:
    run_id = start_with_override(overrideBypassesQuorum=True)
    assert let_vote(run_id, [("boss", "accept")]) == "completed"
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["decision"], resolved["action"]) == ("overridden", "accept")
    assert last(run_id, "node.completed")["outputs"]["decision"] == "overridden"


def test_an_override_principals_vote_counts_once_where_the_gate_does_not_allow_more() -> None:
    run_id = start_with_override()
    assert let_vote(run_id, [("boss", "accept")]) == "waiting-approval"
    assert let_vote(run_id, [("ann", "accept"), ("ben", "accept")]) == "completed"
    assert last(run_id, "interrupt.resolved")["decision"] == "granted"


def test_an_override_principal_must_be_an_eligible_approver_all_the_same() -> None:
    run_id = start_with_override(overrideBypassesQuorum=True, approverGroupRefs=["legal"])
    with pytest.raises(Forbidden):
        answer(actor("boss"), run_id, "accept")
    assert status(run_id) == "waiting-approval"


def test_everybody_else_still_needs_the_quorum_at_such_a_gate() -> None:
    run_id = start_with_override(overrideBypassesQuorum=True)
    assert let_vote(run_id, [("ann", "accept"), ("ben", "accept")]) == "waiting-approval"


def test_an_override_principal_who_rejects_is_one_reject() -> None:
    run_id = start_with_override(overrideBypassesQuorum=True, rejectionPolicy="majority")
    assert let_vote(run_id, [("boss", "reject")]) == "waiting-approval"


def test_the_right_to_override_may_come_through_a_group_and_from_another_version() -> None:
    first = register(one_gate(requiredApprovals=2, overrideBypassesQuorum=True))
    let_override("bosses", first)
    run_id = start_flow({**one_gate(requiredApprovals=2, overrideBypassesQuorum=True), "version": "2"})
    actor("boss", groups=["bosses"])
    assert let_vote(run_id, [("boss", "accept")]) == "completed"


def test_the_right_to_override_another_workflow_does_not_help() -> None:
    other = register(one_gate("other"))
    let_override(actor("boss"), other)
    run_id = start_flow(one_gate(requiredApprovals=2, overrideBypassesQuorum=True))
    assert let_vote(run_id, [("boss", "accept")]) == "waiting-approval"


def test_a_superuser_is_no_override_principal() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2, overrideBypassesQuorum=True))
    actor("root")
    User.objects.filter(username="root").update(is_superuser=True)
    assert let_vote(run_id, [("root", "accept")]) == "waiting-approval"


def test_naming_a_reference_twice_makes_one_row() -> None:
    start_flow(one_gate(approversList=["ann"]))
    start(actor("owner"))
    assert ref(RefKind.PRINCIPAL, "ann").gates.count() == 2


# --- One key for several people, in a conformance run only ------------------------------------------------------------


def test_in_a_conformance_run_one_key_may_vote_for_several_people(settings: Any) -> None:
    settings.WOP_CONFORMANCE = True
    run_id = start_flow(one_gate(requiredApprovals=2))
    for name in ("one", "one", "two"):
        assert status(run_id) == "waiting-approval"
        answer(actor("ann"), run_id, {"action": "accept", "voter": name})
    assert status(run_id) == "completed"
    assert [vote["voter"] for vote in last(run_id, "interrupt.resolved")["x-votes"]] == ["one", "two"]


def test_anywhere_else_it_may_not() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    for name in ("one", "two", "three"):
        answer(actor("ann"), run_id, {"action": "accept", "voter": name})
    assert status(run_id) == "waiting-approval"
    assert votes() == [("ann", "accept")]
