"""A script asks before it pays, and may be killed at any moment."""

from __future__ import annotations

import pytest

from tests.examples.conftest import Host, Program, Shell

FLOW = "pay-invoice"

pytestmark = pytest.mark.timeout(200)


@pytest.fixture
def asked_before(host: Host) -> int:
    return len(host.runs(FLOW))


def pay(shell: Shell, number: str) -> Program:
    return shell.start("-m", "examples.plain_script.pay", number, "950", str(shell.folder))


def test_a_script_that_was_killed_asks_once_and_pays_once(host: Host, shell: Shell, asked_before: int) -> None:
    first = pay(shell, "4711")
    run_id = host.await_question(FLOW, count=asked_before + 1)
    first.kill()
    # As if it had died after asking, before it could note that it had.
    (shell.folder / "4711.asked").unlink(missing_ok=True)
    second = pay(shell, "4711")
    host.answer(run_id, "approved")
    assert second.printed() == "4711 is paid"
    assert pay(shell, "4711").printed() == "4711 is paid"
    assert len(host.runs(FLOW)) == asked_before + 1


def test_an_answer_that_came_while_the_script_was_away_is_found(host: Host, shell: Shell, asked_before: int) -> None:
    first = pay(shell, "4712")
    run_id = host.await_question(FLOW, count=asked_before + 1)
    first.kill()
    host.answer(run_id, "rejected", reason="Paid already.")
    assert pay(shell, "4712").printed() == "4712 is not paid: Paid already."


def test_a_question_that_nobody_will_answer_any_more_is_told(host: Host, shell: Shell, asked_before: int) -> None:
    script = pay(shell, "4713")
    run_id = host.await_question(FLOW, count=asked_before + 1)
    host.cancel(run_id)
    assert script.printed() == f"4713 is not paid: {run_id} is cancelled"
