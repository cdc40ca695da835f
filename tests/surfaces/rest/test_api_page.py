"""docs/api.md and the first call in README.md say what the code does."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from approvals.samples import load_samples
from interrupts.contracts.shipped import shipped
from interrupts.contracts.validation import validate
from interrupts.errors import AlreadyResolved
from interrupts.surfaces.problems import RENDERINGS
from interrupts.urls import urlpatterns
from interrupts.vocabulary import Action
from tests import factories
from tests.architecture.sources import ROOT
from tests.surfaces.rest.api import Api, wire

PAGE = (ROOT / "docs/api.md").read_text("utf-8")


def test_the_page_lists_every_code_with_its_status_and_whether_to_ask_again() -> None:
    listed = re.findall(r"^\| (\d{3}) \| `(\w+)`( ↻)? \|", PAGE, re.MULTILINE)
    told = {code: (int(status), bool(again)) for status, code, again in listed}
    assert told == {code: (r.status, r.retry_after is not None) for code, r in RENDERINGS.items()}


def test_the_page_lists_every_operation_with_its_scope() -> None:
    listed = set()
    for methods, path, scope in re.findall(r"^\| [\w ]+ \| (`[A-Z`, ]+) (/\S+)` \| (.+) \|$", PAGE, re.MULTILINE):
        listed |= {(method, path, scope.strip("`")) for method in re.findall(r"[A-Z]+", methods)}
    served = set()
    for pattern in urlpatterns:
        path = "/" + re.sub(r"<\w+:(\w+)_(\w)(\w*)>|<\w+:(\w+)>", _wire_name, str(pattern.pattern))
        for method, operation in cast("Any", pattern.callback).cls.operations.items():
            scope = "that of each method" if operation.has_scope_per_call else str(operation.scope or "none")
            served.add((method, path, scope))
    assert listed == served


def _wire_name(found: re.Match[str]) -> str:
    first, letter, rest, plain = found.groups()
    return f"{{{plain or first + letter.upper() + rest}}}"


def test_the_page_shows_the_discovery_document_of_a_new_installation(api: Api) -> None:
    (shown,) = re.findall(r"well-known/openwop\nHTTP.*?\n\n(\{.*?^\})$", PAGE, re.MULTILINE | re.DOTALL)
    assert json.loads(shown) == api.get("/.well-known/openwop").body


@pytest.mark.django_db
def test_the_page_shows_what_an_inspected_run_is_like(api: Api) -> None:
    (shown,) = re.findall(r"/interrupt\nHTTP.*?\n\n(\{.*?^\})$", PAGE, re.MULTILINE | re.DOTALL)
    told = json.loads(shown)
    asked = told["interrupt"]["payload"]
    factories.register(json.loads((ROOT / "interrupts/samples/issue-review.json").read_text("utf-8")))
    inputs = {"report": asked["report_markdown"], "proposed_issues": asked["proposed_issues"]}
    run_id = api.post("/runs", {"workflowId": "issue-review", "inputs": inputs}).body["runId"]
    seen = api.get(f"/host/wopsite/runs/{wire(run_id)}/interrupt").body
    told["run_id"], told["interrupt"]["id"] = run_id, seen["interrupt"]["id"]
    assert told == seen


def test_each_answer_to_an_approval_is_one() -> None:
    shown = re.findall(r'`(\{"action": .*?\})` \|$', PAGE, re.MULTILINE)
    answers = [json.loads(text) for text in shown]
    assert {answer["action"] for answer in answers} == {str(action) for action in Action}
    assert [validate(shipped("approval-resume"), answer) for answer in answers] == [[]] * len(Action)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("README.md", r"demo/r-[0-9a-f]{32} waiting-approval\n"),
        ("docs/api.md", rf"completed\n409 interrupt_already_resolved\n{re.escape(AlreadyResolved().message)}\n"),
    ],
)
def test_the_lines_for_the_published_client_run(
    server: str, transactional_db: None, capsys: pytest.CaptureFixture[str], page: str, told: str
) -> None:
    (lines,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    key = load_samples(now=factories.NOW).key
    lines = lines.replace('KEY = "wop_…"\n', "").replace("http://127.0.0.1:8000", f"http://{server}")
    exec(compile(lines, page, "exec"), {"KEY": key})
    assert re.fullmatch(told, capsys.readouterr().out)
