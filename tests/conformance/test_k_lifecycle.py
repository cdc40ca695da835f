"""Section K: creating, reading, listing, cancelling and ending runs (wire contract §7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, assert_valid, payloads, projected, types

AFTER_THE_END = ("node.", "interrupt.", "run.")


def test_case_36_cancel_of_an_ended_run_is_409(suite: Peer) -> None:
    run_id = suite.start("conformance-noop")
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    assert_refused(suite.cancel(run_id), 409, "run_terminal")


def test_case_37_cancel_stops_a_run_in_the_middle_of_a_wait(suite: Peer) -> None:
    run_id = suite.start("conformance-cancellable", inputs={"delayMs": 15_000})
    suite.until(run_id, "running", seconds=5)
    cancelled = suite.cancel(run_id, reason="conformance")
    assert cancelled.json() == {"runId": run_id, "status": "cancelled"}
    suite.until(run_id, "cancelled", seconds=5)
    (ended,) = payloads(suite.log(run_id), "run.cancelled")
    assert ended["reason"] == "conformance"


def test_case_38_bulk_cancel_takes_a_hundred_runs_and_says_so(suite: Peer) -> None:
    run_ids = [f"openwop-conformance-bulk-cap/opaque{n:03}0123456789abcdef" for n in range(101)]
    refused = assert_refused(suite.post("/runs:bulk-cancel", {"runIds": run_ids}), 400, "validation_error")
    assert refused["details"]["maxRunIds"] == 100
    results = suite.post("/runs:bulk-cancel", {"runIds": run_ids[:100]}).json()["results"]
    assert [result["runId"] for result in results] == run_ids[:100]
    assert {result["error"]["error"] for result in results} == {"id_tenant_mismatch"}


def test_case_38_bulk_cancel_judges_each_run_on_its_own_and_in_order(suite: Peer) -> None:
    waiting, over = suite.suspended("conformance-approval"), suite.start("conformance-noop")
    suite.until(over, *TERMINAL)
    unknown = "acme/r-00000000000000000000000000000000"
    results = suite.post("/runs:bulk-cancel", {"runIds": [over, waiting, unknown], "reason": "tidy"}).json()["results"]
    assert [(r["runId"], r["ok"]) for r in results] == [(over, False), (waiting, True), (unknown, False)]
    assert [r.get("status") for r in results] == [None, "cancelled", None]
    assert [r["error"]["error"] for r in results if not r["ok"]] == ["run_terminal", "not_found"]


def test_case_40_an_ended_run_is_neither_paused_nor_resumed(suite: Peer) -> None:
    run_id = suite.start("conformance-noop")
    suite.until(run_id, *TERMINAL)
    assert_refused(suite.pause(run_id), 409, "run_terminal")
    assert_refused(suite.resume(run_id), 409, "run_terminal")


def test_case_105_a_waiting_run_is_not_paused(suite: Peer) -> None:
    refused = assert_refused(suite.pause(suite.suspended("conformance-approval")), 409, "run_state_conflict")
    assert refused["details"]["runStatus"] == "waiting-approval"


def test_case_105_a_drained_node_completes_before_the_pause(suite: Peer) -> None:
    run_id = suite.start("conformance-delay", inputs={"delayMs": 700})
    paused = suite.pause(run_id, drainPolicy="drain-current-node", reason="conformance")
    assert (paused.status_code, paused.json()["status"]) == (202, "paused")
    suite.until(run_id, "paused", seconds=10)
    kinds = types(suite.log(run_id))
    assert kinds.index("node.completed") < kinds.index("run.paused")
    (event,) = payloads(suite.log(run_id), "run.paused")
    assert (event["drainPolicy"], event["reason"]) == ("drain-current-node", "conformance")
    resumed = suite.resume(run_id)
    assert (resumed.status_code, resumed.json()["status"]) == (202, "running")
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"


def test_case_105_an_attempt_cut_by_an_immediate_pause_starts_anew(suite: Peer) -> None:
    run_id = suite.start("conformance-cancellable", inputs={"delayMs": 15_000})
    key = "case-105-immediate-pause"
    first = suite.pause(run_id, drainPolicy="immediate", key=key)
    again = suite.pause(run_id, drainPolicy="immediate", key=key)
    assert (first.status_code, again.status_code, again.content) == (202, 202, first.content)
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    assert suite.snapshot(run_id)["status"] == "paused"
    stacked = assert_refused(suite.pause(run_id, drainPolicy="immediate"), 409, "run_state_conflict")
    assert stacked["details"]["runStatus"] == "paused"
    assert suite.resume(run_id).status_code == 202
    kinds = types(suite.log(run_id))
    assert kinds == ["run.started", "node.started", "run.paused", "run.resumed", "node.started"]
    assert suite.cancel(run_id).status_code == 200


def test_case_42_a_created_run_is_readable_at_once(suite: Peer) -> None:
    created = suite.post("/runs", {"workflowId": "conformance-noop"}).json()
    run_id = created["runId"]
    assert suite.snapshot(run_id)["runId"] == run_id
    assert suite.log(run_id)
    for link in (created["eventsUrl"], created["statusUrl"]):
        assert link.startswith(f"/runs/{projected(run_id)}")
        assert suite.get(link).status_code == 200


def test_case_43_the_list_pages_through_the_callers_runs(suite: Peer, anonymous: Peer) -> None:
    started = {suite.start("conformance-noop", scopeId=f"case-43-{n}") for n in range(5)}
    maximum = anonymous.get("/.well-known/openwop").json()["runList"]["maxPageSize"]
    assert maximum >= 1
    assert len(suite.get(f"/runs?limit={maximum + 1}").json()["runs"]) <= maximum
    seen: list[str] = []
    cursor = ""
    while not started <= set(seen):
        page = suite.get(f"/runs?limit=2{cursor}").json()
        assert len(page["runs"]) <= 2
        seen += [run["runId"] for run in page["runs"]]
        # The last page names no next one: whether it comes into play depends on the tests that ran before.
        cursor = f"&cursor={page['nextCursor']}" if "nextCursor" in page else ""
        assert cursor or started <= set(seen)
    assert len(seen) == len(set(seen))


def test_case_43_the_list_shows_no_other_tenant_and_no_other_workflow(suite: Peer, rival: Peer) -> None:
    ours, theirs = (peer.start("conformance-identity", inputs={"payload": {}}) for peer in (suite, rival))
    listed = {
        run["runId"]: run["workflowId"] for run in suite.get("/runs?workflowId=conformance-identity").json()["runs"]
    }
    assert ours in listed
    assert theirs not in listed
    assert set(listed.values()) == {"conformance-identity"}
    assert theirs in {run["runId"] for run in rival.get("/runs").json()["runs"]}
    assert suite.get("/runs?workflowId=conformance").json() == {"runs": []}


def test_case_43_a_foreign_cursor_is_refused(suite: Peer, rival: Peer) -> None:
    assert_refused(suite.get("/runs?cursor=openwop-conformance-not-a-cursor"), 400, "validation_error")
    suite.start("conformance-noop")
    suite.start("conformance-noop")
    cursor = suite.get("/runs?limit=1").json()["nextCursor"]
    assert_refused(rival.get(f"/runs?cursor={cursor}"), 400, "validation_error")


@pytest.mark.parametrize(
    "options",
    [{"tags": [f"t{n}" for n in range(101)]}, {"tags": ["x" * 257]}, {"unknownMember": 1}],
    ids=["101 tags", "a tag of 257", "an unknown member"],
)
def test_case_44_options_beyond_the_limits_are_refused(suite: Peer, options: dict[str, Any]) -> None:
    assert_refused(suite.post("/runs", {"workflowId": "conformance-noop", **options}), 400, "validation_error")


def test_case_44_odd_but_legal_options_come_back_unchanged(suite: Peer) -> None:
    tags = ["with space", "🙂", "a/b:c;d,e?f&g=h#i", "x" * 256, *(f"t{n}" for n in range(96))]
    metadata = {"nested": {"deep": [1, 2.5, None, {"ü": "ß"}]}}
    run_id = suite.start("conformance-noop", tags=tags, metadata=metadata)
    snapshot = suite.snapshot(run_id)
    assert (snapshot["tags"], snapshot["metadata"]) == (tags, metadata)
    (started,) = payloads(suite.log(run_id), "run.started")
    assert (started["tags"], started["metadata"]) == (tags, metadata)


def test_case_45_configurable_is_closed(suite: Peer) -> None:
    def create(configurable: Any) -> Any:
        return suite.post("/runs", {"workflowId": "conformance-noop", "configurable": configurable})

    assert create({"version": 1}).status_code == 201
    for refused in ({"version": 1, "ai": {"ai.provider": "x"}}, {"version": 1, "unknownKey": 1}, {}, {"version": 2}):
        assert_refused(create(refused), 400, "validation_error")


@pytest.mark.parametrize("workflow", ["conformance-noop", "conformance-failure", "conformance-cancellable"])
def test_case_46_a_run_ends_once_and_nothing_follows(suite: Peer, workflow: str) -> None:
    run_id = suite.start(workflow)
    if workflow == "conformance-cancellable":
        assert suite.cancel(run_id).status_code == 200
    suite.until(run_id, *TERMINAL, seconds=30)
    log = suite.log(run_id)
    ends = [n for n, kind in enumerate(types(log)) if kind in ("run.completed", "run.failed", "run.cancelled")]
    assert len(ends) == 1
    assert [kind for kind in types(log)[ends[0] + 1 :] if kind.startswith(AFTER_THE_END)] == []
    assert suite.log(run_id) == log


@pytest.mark.parametrize(
    ("workflow", "inputs", "outputs"),
    [
        ("conformance-noop", {}, {}),
        ("conformance-identity", {"payload": {"a": [1, None, "ü"]}}, {"payload": {"a": [1, None, "ü"]}}),
        ("conformance-multi-node", {}, {}),
    ],
)
def test_case_47_a_completed_run_has_outputs(suite: Peer, workflow: str, inputs: Any, outputs: Any) -> None:
    run_id = suite.start(workflow, inputs=inputs)
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    (completed,) = payloads(suite.log(run_id), "run.completed")
    assert completed["outputs"] == outputs


def test_case_49_the_owner_is_a_subject_and_no_principal(suite: Peer) -> None:
    run_id = suite.start("conformance-noop")
    owner = suite.snapshot(run_id)["owner"]
    assert_valid("subject", owner["subject"])
    assert owner["tenant"] == owner["subject"]["tenant"] == "acme"
    assert not {"principal", "principalKind"} & owner.keys()
    assert payloads(suite.log(run_id), "run.started")[0]["owner"] == owner


def test_case_50_the_era_of_a_run_is_the_era_of_the_host(suite: Peer, anonymous: Peer) -> None:
    era = anonymous.get("/.well-known/openwop").json()["eventLogSchemaVersion"]
    assert era == suite.snapshot(suite.start("conformance-noop"))["eventLogSchemaVersion"] == 3


def test_case_98_cancelling_a_parent_cancels_the_child_that_waits(suite: Peer) -> None:
    run_id = suite.start("conformance-interrupt-parent-child-cancel")
    (dispatched,) = payloads(suite.log(run_id), "node.dispatched")
    child_id = dispatched["childRunId"]
    suite.until_there(child_id)
    assert suite.until(child_id, "waiting-approval")["currentNodeId"] == "child-gate"
    assert suite.snapshot(run_id)["nodeStates"]["spawn-child"]["childRunId"] == child_id
    assert suite.cancel(run_id).json()["status"] == "cancelled"
    suite.until(child_id, "cancelled", seconds=10)
    (ended,) = payloads(suite.log(child_id), "run.cancelled")
    assert (ended["reason"], ended["parentRunId"]) == ("parent-cancelled", run_id)
    late = suite.resolve(child_id, {"action": "accept"}, node="child-gate")
    assert_refused(late, 409, "interrupt_already_resolved")


def test_case_108_a_parent_goes_on_with_what_its_child_became(suite: Peer) -> None:
    run_id = suite.start("conformance-subworkflow-parent")
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    (dispatched,) = payloads(suite.log(run_id), "node.dispatched")
    child = suite.snapshot(dispatched["childRunId"])
    assert (child["status"], child["workflowId"]) == ("completed", "conformance-subworkflow-child")
    assert child["owner"] == suite.snapshot(run_id)["owner"]
    (completed,) = payloads(suite.log(run_id), "node.completed", node="subwf-call")
    assert completed["outputs"] == {
        "childRunId": child["runId"],
        "childStatus": "completed",
        "childOutcome": "child-completed",
    }
    assert suite.snapshot(run_id)["variables"]["childOutcome"] == "child-completed"
    (started,) = payloads(suite.log(child["runId"]), "run.started")
    assert (started["x-parent-run-id"], started["x-parent-node-id"]) == (run_id, "subwf-call")


def test_a_childs_inputs_are_those_of_its_dispatch(suite: Peer) -> None:
    """conformance-subworkflow-mid-run-mutation, without the seam that would change the parent's variable."""
    run_id = suite.start("conformance-subworkflow-mid-run-mutation")
    child_id = payloads(suite.log(run_id), "node.dispatched")[0]["childRunId"]
    suite.until_there(child_id)
    suite.until(child_id, "waiting-approval")
    assert suite.resolve(child_id, {"action": "accept"}, node="child-gate").status_code == 200
    assert suite.snapshot(child_id)["variables"] == {"receivedPrdId": "seeded-id"}
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"


def test_a_delay_is_seen_while_it_lasts_and_ends_by_itself(suite: Peer) -> None:
    """conformance-delay, as the lifecycle scenarios use it."""
    created = suite.post("/runs", {"workflowId": "conformance-delay", "inputs": {"delayMs": 700}}).json()
    assert created["status"] == "running"
    assert suite.until(created["runId"], *TERMINAL)["status"] == "completed"
