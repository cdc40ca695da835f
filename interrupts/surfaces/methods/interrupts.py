"""Methods about what waits: look at it, answer it, list it."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.types import JsonObject
from interrupts.services.answers import read_answer
from interrupts.services.idempotency import Done
from interrupts.services.inspection import ResumeRun, inspect_run, open_interrupts, resume_run
from interrupts.services.questions import RaiseQuestion, raise_question
from interrupts.surfaces.methods.base import Call, Method, changing, reading
from interrupts.surfaces.methods.runs import CURSOR, LIMIT, RUN_ID, TIMEOUT_MEMBER, page_size, run_id, timeout
from interrupts.surfaces.polling import await_news
from interrupts.vocabulary import MAX_TIMEOUT_MS, Scope

_OUTCOME: Final[JsonObject] = {
    "type": "string",
    "maxLength": 256,
    "description": "One of the outcomes that the inspection names.",
}
_PAYLOAD: Final[JsonObject] = {"description": "The answer, which satisfies the resume_schema of the inspection."}
_INTERRUPT_ID: Final[JsonObject] = {
    "type": "string",
    "maxLength": 256,
    "description": "Which interrupt is meant; needed only where the run waits for several.",
}
_DEFAULT_WAIT: Final = 30
_KIND: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "description": "A name of your own for questions like this, such as issue_review.",
}
_OUTCOMES: Final[JsonObject] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 20,
    "uniqueItems": True,
    "items": {"type": "string", "minLength": 1, "maxLength": 128},
    "description": "How an answer may end, such as approved and rejected; “submitted” alone unless given.",
}
_CONTRACT: Final = ("kind", "title", "outcomes", "request_schema", "resume_schema")


def _inspect(call: Call) -> Done:
    return Done(inspect_run(actor=call.actor, run_id=run_id(call), now=call.now))


def _resume(call: Call) -> Done:
    request = ResumeRun(
        actor=call.actor,
        run_id=run_id(call),
        outcome=call.text("outcome"),
        payload=call.params["payload"],
        interrupt_id=call.optional_text("interrupt_id"),
        idempotency_key=call.key(),
    )
    return resume_run(request=request, now=call.now)


def _list(call: Call) -> Done:
    return Done(
        open_interrupts(
            actor=call.actor,
            limit=page_size(call),
            now=call.now,
            after=call.optional_text("cursor"),
            full=call.params.get("full") is True,
        )
    )


def _raise(call: Call) -> Done:
    contract: JsonObject = {name: call.params[name] for name in _CONTRACT if name in call.params}
    if "timeout_ms" in call.params:
        contract["timeoutMs"] = call.params["timeout_ms"]
    request = RaiseQuestion(
        actor=call.actor,
        contract=contract,
        payload=cast("JsonObject", call.params["payload"]),
        transport=call.transport,
        idempotency_key=call.key(),
    )
    return raise_question(request=request, now=call.now)


def _wait(call: Call) -> Done:
    run, interrupt_id = run_id(call), call.optional_text("interrupt_id")
    answer = await_news(
        run_id=run,
        seconds=call.number(TIMEOUT_MEMBER, _DEFAULT_WAIT),
        read=lambda: read_answer(actor=call.actor, run_id=run, interrupt_id=interrupt_id),
        is_news=lambda answer: answer["ended"] is not None,
    )
    return Done(answer)


METHODS: Final = (
    Method(
        name="interrupts.raise",
        summary="Ask people a question, without a workflow; then wait for the answer with interrupts.wait",
        params_schema=changing(
            {"kind": _KIND, "payload": {"type": "object", "description": "What is asked, as those who answer see it."}},
            {
                "title": {"type": "string", "minLength": 1, "maxLength": 500, "description": "The headline."},
                "outcomes": _OUTCOMES,
                "request_schema": {"type": "object", "description": "A JSON Schema that the payload satisfies."},
                "resume_schema": {
                    "type": "object",
                    "description": "A JSON Schema that the payload of an answer must satisfy; without it, any object.",
                },
                "timeout_ms": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_TIMEOUT_MS,
                    "description": "After how many milliseconds nobody can answer any more.",
                },
            },
        ),
        result="run_id, interrupt_id, and status of the run that asks",
        scope=Scope.RUNS_CREATE,
        run=_raise,
    ),
    Method(
        name="workflow.runs.inspect",
        summary="What a run waits for: what is asked, the outcomes, and the schema that an answer must satisfy",
        params_schema=reading({"run_id": RUN_ID}),
        result=(
            "run_id, status (“interrupted” while something is asked), run_status, and interrupt: its id, kind, payload,"
            " outcomes, request_schema, resume_schema, typed, resumable; title, and progress where it takes several"
            " answers; interrupts, all ids, where there are several"
        ),
        scope=Scope.RUNS_READ,
        run=_inspect,
    ),
    Method(
        name="workflow.runs.resume",
        summary="Answer what a run waits for, or what a sub-workflow of it waits for",
        params_schema=changing(
            {"run_id": RUN_ID, "outcome": _OUTCOME, "payload": _PAYLOAD}, {"interrupt_id": _INTERRUPT_ID}
        ),
        result="run_id, node_id, interrupt_id, and status: the status that the run has now",
        scope=Scope.APPROVALS_RESPOND,
        run=_resume,
    ),
    Method(
        name="interrupts.wait",
        summary="Wait for the answer to what a run asked: at once when it is there, or as soon as it comes",
        params_schema=reading(
            {"run_id": RUN_ID}, {"interrupt_id": _INTERRUPT_ID, TIMEOUT_MEMBER: timeout(_DEFAULT_WAIT)}
        ),
        result=(
            "run_id, status, is_terminal, interrupt_id, node_id, and ended: null while nobody has answered (ask again),"
            " else resolved, timed-out or cancelled; outcome, payload and answered_by of the answer"
        ),
        scope=Scope.RUNS_READ,
        run=_wait,
    ),
    Method(
        name="interrupts.list",
        summary="What waits for an answer in the tenant, oldest first",
        params_schema=reading(
            {},
            {
                "limit": LIMIT,
                "cursor": CURSOR,
                "full": {"type": "boolean", "default": False, "description": "With both schemas of each."},
            },
        ),
        result="interrupts, as workflow.runs.inspect shows them, with run, workflow and title; next_cursor for more",
        scope=Scope.RUNS_READ,
        run=_list,
    ),
)
