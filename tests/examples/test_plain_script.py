"""A script asks before it pays, and may be killed at any moment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from examples.plain_script import pay as script
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
    assert f"Waiting until somebody answers in {host.url}/inbox/" in second.log.read_text("utf-8")
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


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        ([], {}, "the following arguments are required: NUMBER, AMOUNT, FOLDER"),
        (["4714", "much", "."], {}, "argument AMOUNT: invalid float value: 'much'"),
        (["4714", "950", "not-there"], {}, "there is no folder not-there"),
        (["4714", "950", "."], {"WOP_KEY": ""}, "set WOP_URL to the address of the host and WOP_KEY to a key for it"),
        (["4714", "950", "."], {"WOP_KEY": "wop_wrong"}, "No valid credential came with this request."),
        (["4714", "950", "."], {"WOP_URL": "http//host"}, "http//host is not the address of a host"),
        (["4714", "950", "."], {"WOP_URL": "http://127.0.0.1:1"}, "http://127.0.0.1:1 cannot be reached"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    environment: dict[str, str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pay", *arguments])
    for name, value in {"WOP_URL": host.url, "WOP_KEY": host.key, **environment}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        script.main()
    line = str(ended.value) if ended.value.code != 2 else capsys.readouterr().err.splitlines()[-1]
    assert said in line
