"""``wop run inspect``, ``wop run resume`` and ``wop inbox``, by somebody who knows nothing of the workflow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.models import RunEvent, Suspension
from tests import factories
from tests.surfaces.cli.conftest import Wop, same

Olga = tuple[str, ...]
ELSEWHERE = "if the site is elsewhere, say so with WOP_PUBLIC_URL or PORT"
REPORT = "# Ready?\n\nAlmost.\x1b[31m"
ISSUES: list[JsonValue] = [{"id": "A-1", "title": "Write the docs", "size": 3}, {"id": "A-2", "title": "Fix the tests"}]
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean", "description": "Whether the report is good"},
        "selected_issue_ids": {"type": "array", "items": {"type": "string"}},
        "comment": {"type": "string"},
        "owner": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
    "required": ["approved", "selected_issue_ids"],
    "additionalProperties": False,
}


@pytest.fixture
def run_id(db: None) -> str:
    """A run that asks for the review of a report and of the issues proposed in it."""
    data: JsonObject = {
        "customKind": "issue_review",
        "payload": {"report_markdown": REPORT, "proposed_issues": [*ISSUES], "due": "Friday"},
    }
    document = factories.one_interrupt("custom", data, resumeSchema=SCHEMA, timeoutMs=3 * 3_600_000 + 60_000)
    return factories.start_flow(document, now=timezone.now())


def test_inspect_tells_in_words_what_is_asked_and_how_to_answer(wop: Wop, olga: Olga, run_id: str) -> None:
    ended = wop("run", "inspect", run_id, *olga)
    assert (ended.status, ended.err) == (0, "")
    told = ended.lines
    asked = factories.suspension(run_id, "ask")
    opaque = asked.pk.partition("/")[2]
    assert told[:7] == [
        f"{run_id} waits for an answer.",
        "Kind      issue_review",
        "Node      ask",
        "Outcomes  submitted",
        f"Deadline  in 3 hours ({asked.deadline:%Y-%m-%dT%H:%M:%S}.{asked.deadline.microsecond // 1000:03d}Z)",
        f"Page      http://127.0.0.1:8000/inbox/{opaque}/" + ("" if "--url" in olga else f" ({ELSEWHERE})"),
        "",
    ]
    assert told[-8:] == [
        "Fields of an answer",
        "  approved            required  true or false. Whether the report is good",
        "  selected_issue_ids  required  list of text, may be empty",
        "  comment             optional  text",
        "  owner.name          optional  text",
        "",
        "To answer",
        f"  wop run resume {run_id} {same(olga)} --outcome submitted --input approved=… selected_issue_ids=…",
    ]


def test_the_answer_that_is_proposed_reaches_this_host_again_as_somebody(
    wop: Wop, run_id: str, over_http: None, settings: Any
) -> None:
    answer = "--outcome submitted --input approved=… selected_issue_ids=…"
    assert wop("run", "inspect", run_id).lines[-1] == f"  wop run resume {run_id} --as NAME {answer}"
    assert wop("run", "resume", run_id).err.endswith(f": wop run resume {run_id} --as NAME --outcome submitted\n")
    settings.WOP_KEY, settings.WOP_URL = factories.api_key("olga"), "http://127.0.0.1:8000"
    assert wop("run", "inspect", run_id).lines[-1] == f"  wop run resume {run_id} {answer}"


def test_a_kind_that_is_known_has_a_view_of_its_own_and_text_cannot_drive_the_terminal(
    wop: Wop, olga: Olga, run_id: str
) -> None:
    told = wop("run", "inspect", run_id, *olga).out
    assert "  Report\n    # Ready?\n\n    Almost.\\u001b[31m\n" in told
    assert "  Proposed issues (2)\n     1. A-1  Write the docs\n        size: 3\n     2. A-2  Fix the tests\n" in told
    assert "  due: Friday\n" in told


def test_another_payload_of_that_kind_is_shown_by_the_view_of_everything(wop: Wop, olga: Olga) -> None:
    data: JsonObject = {"customKind": "issue_review", "payload": {"report_markdown": 7, "more": {"a": ["x" * 100]}}}
    run_id = factories.start_flow(factories.one_interrupt("custom", data))
    told = wop("run", "inspect", run_id, *olga).out
    assert "  report_markdown: 7\n  more:\n    {\n" in told
    assert "Kind      issue_review (its author declared no schema)" in told
    assert "Deadline  none" in told
    assert "An answer may have any fields.\n" in told
    assert told.endswith(f"\n  wop run resume {run_id} {same(olga)} --outcome submitted\n")


def test_inspect_as_json_has_the_schemas(wop: Wop, olga: Olga, run_id: str) -> None:
    ended = wop("run", "inspect", run_id, "--json", *olga)
    assert "\x1b" not in ended.out
    shown = json.loads(ended.out)
    assert (shown["run_id"], shown["status"], shown["run_status"]) == (run_id, "interrupted", "waiting-approval")
    interrupt = shown["interrupt"]
    assert (interrupt["resume_schema"], interrupt["outcomes"], interrupt["typed"]) == (SCHEMA, ["submitted"], True)
    assert interrupt["payload"]["report_markdown"] == REPORT
    assert {"request_schema", "frame_id", "node_id", "resumable"} <= set(interrupt)


def test_an_answer_in_words_ends_the_question(wop: Wop, olga: Olga, run_id: str) -> None:
    words = ("approved=true", "selected_issue_ids=A-1", "selected_issue_ids=A-2", "owner.name=Ann", "comment=true")
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--input", *words, *olga)
    assert (ended.status, ended.out) == (0, f"{run_id}\n")
    assert ended.err == "Your answer was taken: submitted. The run is now completed.\n"
    assert factories.last(run_id, "interrupt.resolved")["resumeValue"] == {
        "approved": True,
        "selected_issue_ids": ["A-1", "A-2"],
        "owner": {"name": "Ann"},
        "comment": "true",
    }
    ended = wop("run", "inspect", run_id, *olga)
    assert ended.lines == [f"{run_id} is completed. It waits for no answer."]
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--input", *words, *olga)
    assert (ended.status, ended.err) == (4, "The run has already ended: it is completed.\n")


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_an_answer_may_come_from_a_file_or_from_standard_input(
    wop: Wop, olga: Olga, run_id: str, tmp_path: Path, source: str
) -> None:
    text = '{"approved": false, "selected_issue_ids": []}'
    path = tmp_path / "answer.json"
    path.write_text(text)
    name = "-" if source == "standard input" else str(path)
    ended = wop("run", "resume", run_id, "--input", name, *olga, stdin=text.encode())
    assert (ended.status, ended.out) == (0, f"{run_id}\n")
    assert factories.status(run_id) == "completed"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["approved=true"], ["/payload/selected_issue_ids: This is required."]),
        (
            ["approved=perhaps", "selected_issue_ids:=[1]", "extra=1"],
            ["/payload/approved: ", "/payload/extra: ", "/payload/selected_issue_ids/0: "],
        ),
    ],
)
def test_missing_and_invalid_fields_are_named_before_anything_is_sent(
    wop: Wop, olga: Olga, run_id: str, words: list[str], told: list[str]
) -> None:
    before = RunEvent.objects.count()
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--input", *words, *olga)
    assert (ended.status, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == len(told)
    assert all(line.startswith(start) for line, start in zip(ended.err.splitlines(), told, strict=True))
    assert (RunEvent.objects.count(), factories.suspension(run_id, "ask").outcome) == (before, None)


def test_a_name_with_a_line_break_makes_no_line_of_its_own(wop: Wop, olga: Olga, run_id: str) -> None:
    said = "x\nYour answer was taken: submitted."
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--input", f"{said}=1", *olga)
    assert ended.status == 1
    assert all(line.startswith("/payload/") for line in ended.err.splitlines())


def test_an_unknown_outcome_is_told_with_all_else_that_is_wrong(wop: Wop, olga: Olga, run_id: str) -> None:
    ended = wop("run", "resume", run_id, "--outcome", "shrugged", "--input", "approved=true", *olga)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        "/outcome: “shrugged” is no outcome here. The outcomes are: submitted.",
        "/payload/selected_issue_ids: This is required.",
    ]


def test_of_several_outcomes_one_must_be_named(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.one_gate())
    for words in (("--input", "feedback=Fine"), ()):
        ended = wop("run", "resume", run_id, *words, *olga)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err == (
            "The run waits for an answer. Say which outcome yours has, with --outcome: accept, reject, refine,"
            f" edit-accept, ask. For example: wop run resume {run_id} {same(olga)} --outcome accept\n"
        )
    assert factories.status(run_id) == "waiting-approval"


def test_a_vote_that_does_not_decide_is_told_with_what_is_missing(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.one_gate(requiredApprovals=3))
    assert "So far    0 of 3 approvals, 3 more are needed" in wop("run", "inspect", run_id, *olga).lines
    ended = wop("run", "resume", run_id, "--outcome", "accept", *olga)
    assert (ended.status, ended.out) == (0, f"{run_id}\n")
    assert ended.err == (
        "Your answer was taken: accept. So far: 1 of 3 approvals, 2 more are needed. The run is now waiting-approval.\n"
    )
    shown = json.loads(wop("run", "inspect", run_id, "--json", *olga).out)
    assert shown["progress"] == "1 of 3 approvals, 2 more are needed"


def test_the_page_is_where_the_settings_say_that_people_reach_the_site(wop: Wop, run_id: str, settings: Any) -> None:
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    opaque = factories.suspension(run_id, "ask").pk.partition("/")[2]
    assert f"Page      https://wop.example.org/inbox/{opaque}/" in wop("run", "inspect", run_id).lines


def test_a_question_that_describes_itself_is_shown_with_its_title(wop: Wop, olga: Olga) -> None:
    asked = factories.contract_node(kind="issue_review", title="Review the issues")
    run_id = factories.start_flow(factories.workflow([asked]))
    assert "Title     Review the issues" in wop("run", "inspect", run_id, *olga).lines
    shown = json.loads(wop("run", "inspect", run_id, "--json", *olga).out)
    assert (shown["title"], "title" in shown["interrupt"]) == ("Review the issues", False)


def test_the_questions_of_a_clarification_are_listed_in_words(wop: Wop, olga: Olga) -> None:
    questions = [
        {"id": "size", "question": "Which size?", "schema": {"enum": ["S", "L"]}},
        {"id": "why", "question": "Why?\nIn a word."},
    ]
    gate = factories.node("ask", "core.clarificationGate", config={"questions": questions})
    run_id = factories.start_flow(factories.workflow([gate]))
    told = wop("run", "inspect", run_id, *olga).out
    assert "\n   1. size  Which size?\n   2. why  Why?\n      In a word.\n" in told
    assert "Title     Which size?\n" in told
    assert "{" not in told


def test_an_approval_is_given_without_fields(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.one_gate(description="As agreed", requiredApprovals=1))
    told = wop("run", "inspect", run_id, *olga).out
    assert "Title     Release it?\n" in told
    assert "  Description: As agreed\n" in told
    assert wop("run", "resume", run_id, "--outcome", "accept", *olga).out == f"{run_id}\n"
    assert factories.status(run_id) == "completed"


def test_whoever_may_not_answer_is_told_so(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.one_gate(approversList=["ann"]))
    ended = wop("run", "resume", run_id, "--outcome", "accept", *olga)
    assert (ended.status, ended.out) == (5, "")
    assert factories.status(run_id) == "waiting-approval"


def test_what_is_no_run_or_nobodys_run_is_told_in_one_line(wop: Wop, olga: Olga, run_id: str) -> None:
    for given, status in (("acme/r-" + "0" * 32, 3), ("acme/r-none", 1), ("globex/r-" + "0" * 32, 5), ("\x1b[2J", 1)):
        for verb in ("inspect", "show", "watch", "cancel"):
            ended = wop("run", verb, given, *olga)
            assert (ended.status, ended.out, len(ended.err.splitlines())) == (status, "", 1), (verb, given)
            assert "\x1b" not in ended.err


def test_a_wrong_interrupt_is_not_found_and_the_right_one_is(wop: Wop, olga: Olga, run_id: str) -> None:
    asked = factories.suspension(run_id, "ask").pk
    assert wop("run", "inspect", run_id, "--interrupt", asked, *olga).status == 0
    ended = wop("run", "inspect", run_id, "--interrupt", "acme/i-none", *olga)
    assert (ended.status, ended.err) == (3, "The run is not waiting for “acme/i-none”.\n")


def test_of_several_questions_each_can_be_shown_and_answered(wop: Wop, olga: Olga) -> None:
    asked = {name: {"customKind": name, "payload": {"question": f"{name}?"}} for name in ("first", "second")}
    nodes = [factories.node(name, "core.interrupt", config={"kind": "custom", "data": asked[name]}) for name in asked]
    run_id = factories.start_flow(factories.workflow(nodes, []), now=timezone.now())
    questions = {factories.suspension(run_id, name).pk: name for name in asked}
    first = json.loads(wop("run", "inspect", run_id, "--json", *olga).out)["interrupt"]["id"]
    (second,) = questions.keys() - {first}
    told = wop("run", "inspect", run_id, *olga).out
    assert f"Others    {second} (show one with --interrupt)\n" in told
    assert f"  wop run resume {run_id} {same(olga)} --interrupt {first} --outcome submitted\n" in told
    told = wop("run", "inspect", run_id, "--interrupt", second, *olga).out
    assert f"Title     {questions[second]}?\n" in told
    ended = wop("run", "resume", run_id, "--interrupt", second, "--input", "a=1", *olga)
    assert (ended.status, ended.out) == (0, f"{run_id}\n")
    assert factories.suspension(run_id, questions[second]).outcome == "resolved"
    assert factories.suspension(run_id, questions[first]).outcome is None


def test_a_run_that_waits_for_nothing_is_told_in_which_state_it_is(wop: Wop, olga: Olga) -> None:
    nap = factories.chain(factories.node("wait", "core.delay", config={"ms": 60_000}), workflow_id="nap")
    run_id = factories.start_flow(nap)
    assert wop("run", "inspect", run_id, *olga).lines == [f"{run_id} is running. It waits for no answer."]
    ended = wop("run", "resume", run_id, "--outcome", "submitted", *olga)
    assert (ended.status, ended.err) == (4, "The run is not waiting for an answer: it is running.\n")


def test_the_question_of_a_sub_workflow_is_answered_through_its_parent(wop: Wop, olga: Olga) -> None:
    factories.register(factories.one_interrupt("custom", {"customKind": "choice", "payload": {}}, "child"))
    run_id = factories.start_flow(factories.chain(factories.sub_workflow(), workflow_id="parent"))
    factories.finish_handed_on_work()
    child = factories.child_of(run_id)
    assert f"Node      ask of the run {child}, which this one waits for" in wop("run", "inspect", run_id, *olga).lines
    assert wop("run", "resume", run_id, "--outcome", "submitted", *olga).out == f"{run_id}\n"
    assert factories.status(child) == "completed"


def test_the_operator_of_the_host_answers_nothing(wop: Wop, run_id: str) -> None:
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--input", "approved=true")
    assert (ended.status, ended.out) == (5, "")
    assert ended.err == "Say with --as NAME who answers: the operator of this host is nobody's approver.\n"
    ended = wop("run", "resume", run_id, "--outcome", "submitted", "--as", "nobody")
    assert (ended.status, ended.err) == (3, "There is no active user nobody in the tenant acme.\n")


def test_a_program_gets_results_and_refusals_as_json(wop: Wop, olga: Olga, run_id: str) -> None:
    ended = wop("run", "resume", run_id, "--json", "--input", "approved=no", *olga)
    told = json.loads(ended.err)
    assert (ended.status, ended.out, told["error"]) == (1, "", "validation_error")
    problems = [(problem["pointer"], problem["keyword"]) for problem in told["details"]["problems"]]
    assert problems == [("/payload/approved", "type"), ("/payload/selected_issue_ids", "required")]
    ended = wop("run", "resume", run_id, "--json", "--input", "approved=false", "selected_issue_ids:=[]", *olga)
    result = json.loads(ended.out)
    assert (ended.status, ended.err, result["status"], result["run_id"]) == (0, "", "completed", run_id)


# --- What waits -------------------------------------------------------------------------------------------------------


def test_the_inbox_lists_what_waits_oldest_first(wop: Wop, olga: Olga, run_id: str) -> None:
    gate = factories.start_flow(factories.one_gate("second"), now=timezone.now())
    ended = wop("inbox", *olga)
    assert (ended.status, ended.err) == (0, "")
    heading, first, second = ended.lines
    assert heading.split() == ["RUN", "KIND", "ABOUT", "OUTCOMES", "DEADLINE"]
    assert first.split() == [run_id, "issue_review", "ask", "submitted", "in", "3", "hours"]
    assert second.split()[:4] == [gate, "approval", "Release", "it?"]
    assert second.endswith("none")
    assert heading.index("KIND") == first.index("issue_review") == second.index("approval")


def test_the_inbox_as_json_and_shortened(wop: Wop, olga: Olga, run_id: str) -> None:
    gate = factories.start_flow(factories.one_gate("second"), now=timezone.now())
    listed = json.loads(wop("inbox", "--json", *olga).out)
    assert [(each["run_id"], each["workflow_id"]) for each in listed] == [(run_id, "flow"), (gate, "second")]
    assert not {"request_schema", "resume_schema"} & set(listed[0])
    ended = wop("inbox", "--limit", "1", *olga)
    assert (len(ended.lines), ended.err) == (2, "There are more than these 1: show them with --limit.\n")
    assert wop("inbox", "--limit", "0", *olga).status == 2


def test_the_inbox_reads_on_page_after_page(wop: Wop, olga: Olga, run_id: str, settings: Any) -> None:
    settings.WOP_MAX_PAGE_SIZE = 1
    factories.start_flow(factories.one_gate("second"), now=timezone.now())
    ended = wop("inbox", *olga)
    assert (len(ended.lines), ended.err) == (3, "")


def test_an_empty_inbox_says_so_and_prints_nothing(wop: Wop, olga: Olga) -> None:
    factories.start_flow(factories.one_gate(), by=factories.actor("sven", of="globex"))
    ended = wop("inbox", *olga)
    assert (ended.status, ended.out, ended.err) == (0, "", "Nothing waits for an answer.\n")
    assert wop("inbox", "--json", *olga).out == "[]\n"
    assert Suspension.objects.count() == 1
