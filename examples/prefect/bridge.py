"""Resume paused flow runs with what people answered: ``python -m examples.prefect.bridge``, beside the Prefect server.

It holds nothing: killed and started again, it finds the paused flow runs at Prefect and their answers at the host.
"""

from __future__ import annotations

import time
from typing import Any

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterState, FlowRunFilterStateType
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.flow_runs import resume_flow_run

from examples.questions import Questions, Unanswered

PAUSED = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.PAUSED])))


def main() -> None:
    questions = Questions()
    with get_client(sync_client=True) as prefect:
        while True:
            for paused in prefect.read_flow_runs(flow_run_filter=PAUSED):
                decision = decided(questions, paused)
                if decision is not None:
                    resume_flow_run(paused.id, decision)
            time.sleep(1)


def decided(questions: Questions, paused: FlowRun) -> dict[str, Any] | None:
    """Return what a flow run is to be resumed with, as soon as there is something."""
    run_id = bytes.fromhex(paused.state.state_details.pause_key).decode()
    try:
        answer = questions.look(run_id)
    except Unanswered as reason:
        return {"outcome": "unanswered", "reason": str(reason)}
    return None if answer is None else {"outcome": answer.outcome, **answer.payload}


if __name__ == "__main__":
    main()
