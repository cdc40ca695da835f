"""Workflows in the admin: uploaded or pasted, told in words what is wrong, and then only looked at."""

from __future__ import annotations

import json

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from interrupts.models import Workflow
from tests import factories
from tests.surfaces.admin.conftest import FLOW, add_page, record_page


def upload(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("flow.json", content, "application/json")


def test_a_file_is_registered_and_shown_as_it_was_written(admin: Client) -> None:
    factories.tenant()
    form = {"tenant": "acme", "text": "", "file": upload(json.dumps(FLOW).encode())}
    answer = admin.post(add_page(Workflow), form, follow=True)
    workflow = Workflow.objects.get()
    assert answer.redirect_chain == [(record_page(workflow), 302)]
    page = answer.content.decode()
    assert "The workflow flow 1 is registered in the tenant acme." in page
    assert "&quot;requiredApprovals&quot;: 2," in page
    assert workflow.digest in page


def test_a_pasted_definition_is_registered(admin: Client) -> None:
    factories.tenant()
    admin.post(add_page(Workflow), {"tenant": "acme", "text": json.dumps(FLOW, indent=2)})
    assert json.loads(Workflow.objects.get().document) == FLOW


def test_every_problem_is_told_in_words_and_what_was_pasted_stays(admin: Client) -> None:
    factories.tenant()
    nodes = [factories.node("a", "core.teleport"), factories.gate_node(requiredApprovals=0)]
    text = json.dumps(factories.workflow(nodes, [factories.edge("a", "nowhere")]))
    page = admin.post(add_page(Workflow), {"tenant": "acme", "text": text})
    errors = page.context["adminform"].form.non_field_errors()
    assert [error.partition(": ")[0] for error in errors] == [
        "/edges/0/targetNodeId",
        "/nodes/0/typeId",
        "/nodes/1/config/requiredApprovals",
    ]
    assert page.context["adminform"].form["text"].value() == text
    assert "Nothing was saved." in page.content.decode()
    assert not Workflow.objects.exists()


def test_what_is_no_json_is_told_with_line_and_column(admin: Client) -> None:
    factories.tenant()
    for field, content, told in (
        ("text", '{\n  "id": 1,\n  "id": 2}', "Line 3, column 3: "),
        ("text", "not json", "Line 1, column 1: "),
        ("file", upload(b"\xff\xfe{}"), "Line 1, column 1: The text is not UTF-8."),
        ("file", upload(b"[" * 100_000), "Line 1, column 65: Lists and objects are nested deeper than 64 levels."),
        ("file", upload(b" " * 1_048_577), "Line 1, column 1: The JSON is larger than 1048576 bytes."),
    ):
        page = admin.post(add_page(Workflow), {"tenant": "acme", "text": "", field: content})
        (error,) = page.context["adminform"].form.errors[field]
        assert error.startswith(told)
    assert not Workflow.objects.exists()


def test_one_of_file_and_text_is_needed(admin: Client) -> None:
    factories.tenant()
    both = {"text": json.dumps(FLOW), "file": upload(json.dumps(FLOW).encode())}
    for form in ({"text": " \n"}, both, {"text": "", "file": upload(b"")}):
        page = admin.post(add_page(Workflow), {"tenant": "acme", **form})
        assert page.status_code == 200
        assert page.context["adminform"].form.errors != {}
    page = admin.post(add_page(Workflow), {"tenant": "nobody", "text": json.dumps(FLOW)})
    assert "tenant" in page.context["adminform"].form.errors
    assert not Workflow.objects.exists()


def test_a_changed_version_is_refused_in_words_and_the_same_one_is_fine(admin: Client) -> None:
    factories.register(FLOW)
    changed = {**FLOW, "name": "Another name"}
    page = admin.post(add_page(Workflow), {"tenant": "acme", "text": json.dumps(changed)})
    (error,) = page.context["adminform"].form.non_field_errors()
    assert error.startswith("Version 1 of “flow” is already registered with different content.")
    page = admin.post(add_page(Workflow), {"tenant": "acme", "text": json.dumps(FLOW)}, follow=True)
    assert (
        "The workflow flow 1 had been registered in the tenant acme before, exactly like this." in page.content.decode()
    )
    assert Workflow.objects.get().name == "Flow"
