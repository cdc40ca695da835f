"""A flow that pauses until somebody has decided: ``python -m examples.prefect.flow NUMBER AMOUNT``."""

from __future__ import annotations

import sys
from pathlib import Path

from prefect import flow, pause_flow_run, task
from prefect.input import RunInput
from prefect.runtime import flow_run

from examples.questions import Questions

WORKFLOW = Path(__file__).with_name("workflow.json")
A_MONTH = 30 * 24 * 60 * 60


class Decision(RunInput):
    """What the flow is resumed with."""

    outcome: str
    reason: str = "no reason given"


@task(retries=3, retry_delay_seconds=2)
def ask(order: str, amount: float, flow_run_id: str) -> str:
    """Ask once in a flow run, however often this task is tried."""
    questions = Questions()
    questions.register(WORKFLOW)
    return questions.ask("place-order", {"order": order, "amount": amount}, once=flow_run_id)


@flow
def place_order(order: str, amount: float) -> str:
    run_id = ask(order, amount, str(flow_run.id))
    # The key tells the bridge which answer this waits for. Prefect takes letters, digits and dashes only.
    decision = pause_flow_run(Decision, timeout=A_MONTH, poll_interval=1, key=run_id.encode().hex())
    if decision.outcome == "approved":
        return f"{order} is placed"
    return f"{order} is not placed: {decision.reason}"


if __name__ == "__main__":
    print(place_order(sys.argv[1], float(sys.argv[2])))
