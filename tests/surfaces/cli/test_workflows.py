"""``wop workflow``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from interrupts.contracts.types import JsonObject
from interrupts.models import Workflow
from tests import factories
from tests.surfaces.cli.conftest import Wop


@pytest.fixture(autouse=True)
def _acme(db: None) -> None:
    """A tenant with somebody in it who may answer."""
    factories.member("ann")


def write(folder: Path, name: str, document: JsonObject) -> str:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_each_loaded_workflow_is_printed_as_its_id_in_order(wop: Wop, tmp_path: Path) -> None:
    last = write(tmp_path, "zebra.json", factories.one_gate("zebra"))
    (tmp_path / "more").mkdir()
    for name in ("b", "a"):
        write(tmp_path / "more", f"{name}.json", factories.one_gate(name))
    (tmp_path / "more" / "readme.txt").write_text("not a workflow")
    ended = wop("workflow", "load", last, str(tmp_path / "more"), "--tenant", "acme")
    assert (ended.status, ended.lines, ended.err) == (0, ["zebra", "a", "b"], "")
    assert Workflow.objects.count() == 3


def test_what_is_doubtful_in_a_loaded_workflow_is_told_as_when_it_is_validated(wop: Wop, tmp_path: Path) -> None:
    path = write(tmp_path, "flow.json", factories.one_gate(approversList=["ann", "nobody"], requiredApprovals=2))
    validated = wop("workflow", "validate", path, "--tenant", "acme")
    loaded = wop("workflow", "load", path, "--tenant", "acme")
    assert (loaded.status, loaded.lines, loaded.err) == (0, ["flow"], validated.err)
    assert loaded.err.startswith(f"{path}: warning: /nodes/0/config")
    assert loaded.err.endswith(" [quorum_beyond_eligible]\n")


def test_loading_the_same_version_again_changes_nothing(wop: Wop, tmp_path: Path) -> None:
    path = write(tmp_path, "flow.json", factories.one_gate())
    for _ in range(2):
        assert wop("workflow", "load", path, "--tenant", "acme").lines == ["flow"]
    assert Workflow.objects.count() == 1


def test_a_changed_version_is_a_conflict_that_names_the_file(wop: Wop, tmp_path: Path) -> None:
    path = write(tmp_path, "flow.json", factories.one_gate())
    wop("workflow", "load", path, "--tenant", "acme")
    write(tmp_path, "flow.json", factories.one_gate(title="Another title"))
    ended = wop("workflow", "load", path, "--tenant", "acme")
    assert (ended.status, ended.out) == (4, "")
    assert ended.err.startswith(f"{path}: Version 1 of “flow” is already registered with different content.")


def test_every_problem_is_told_and_the_good_files_are_loaded_all_the_same(wop: Wop, tmp_path: Path) -> None:
    bad = factories.workflow(
        [factories.node("a", "core.teleport"), factories.node("b")], [factories.edge("b", "nowhere")], workflow_id="bad"
    )
    first, second = write(tmp_path, "1.json", bad), write(tmp_path, "2.json", factories.one_gate("good"))
    ended = wop("workflow", "load", first, second, "--tenant", "acme")
    assert (ended.status, ended.lines) == (1, ["good"])
    assert [line.split(": ")[:2] for line in ended.err.splitlines()] == [
        [first, "/edges/0/targetNodeId"],
        [first, "/nodes/0/typeId"],
    ]


def test_a_file_that_is_no_json_is_told_with_line_and_column(wop: Wop, tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    for text, told in (
        (b'{\n  "id": 1,\n  "id": 2}', "line 3, column 3: "),
        (b'{"id": NaN}', "line 1, column 8: "),
        (b"", "line 1, column 1: "),
        (b'{"id": "\xff"}', "line 1, column 9: The text is not UTF-8."),
        (b"[" * 100_000, "line 1, column 65: Lists and objects are nested deeper than 64 levels."),
        (b'"' + b"x" * 1_048_577 + b'"', "line 1, column 1: The JSON is larger than 1048576 bytes."),
    ):
        path.write_bytes(text)
        ended = wop("workflow", "load", str(path), "--tenant", "acme")
        assert (ended.status, ended.out) == (1, "")
        assert ended.err.startswith(f"{path}, {told}")
        assert len(ended.err.splitlines()) == 1


def test_a_document_that_is_no_object_is_told_as_a_whole(wop: Wop) -> None:
    ended = wop("workflow", "load", "-", "--tenant", "acme", stdin=b"[1]")
    assert ended.status == 1
    assert ended.err.startswith("-: The whole document: ")


def test_what_cannot_be_read_is_told_in_one_line(wop: Wop, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "folder.json").mkdir()
    for path, status, told in (
        (str(tmp_path / "none.json"), 3, "there is no such file."),
        (str(empty), 3, "there is no file *.json in this directory."),
        ("x" * 5000, 1, "cannot be read (File name too long)."),
        (str(tmp_path / "none.json" / "below"), 3, "there is no such file."),
    ):
        ended = wop("workflow", "load", path, "--tenant", "acme")
        assert (ended.status, ended.out, ended.err) == (status, "", f"{path}: {told}\n")


def test_a_definition_is_validated_without_being_stored(wop: Wop, olga: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path, "flow.json", factories.one_gate())
    bad = write(tmp_path, "bad.json", factories.workflow([factories.node("a", "core.teleport")], workflow_id="bad"))
    remote = olga if "--url" in olga else ()
    ended = wop("workflow", "validate", path, *remote)
    assert (ended.status, ended.out, ended.err) == (0, f"{path}\n", "")
    ended = wop("workflow", "validate", bad, path, *remote)
    assert (ended.status, ended.out) == (1, f"{path}\n")
    assert ended.err.startswith(f"{bad}: error: /nodes/0/typeId: ")
    assert not Workflow.objects.exists()


def test_all_that_is_wrong_is_told_by_pointer_and_code_or_as_json(wop: Wop) -> None:
    ended = wop("workflow", "validate", "-", stdin=b'{"id": 7}')
    assert (ended.status, ended.out) == (1, "")
    told = [line.split(": ") for line in ended.err.splitlines()]
    assert [line[:3] for line in told if line[2] in {"/id", "/nodes"}] == [
        ["-", "error", "/id"],
        ["-", "error", "/nodes"],
    ]
    assert all(line[-1].endswith("]") for line in told)
    ended = wop("workflow", "validate", "-", "--json", stdin=b'{"id": 7}')
    (report,) = json.loads(ended.out)
    assert (ended.status, report["file"], report["valid"]) == (1, "-", False)
    assert [found["pointer"] for found in report["diagnostics"]] == [line[2] for line in told]


def test_a_file_that_cannot_be_read_is_told_among_the_others_in_json_too(wop: Wop, tmp_path: Path) -> None:
    bad, good = tmp_path / "1.json", write(tmp_path, "2.json", factories.one_gate())
    bad.write_text("[1]")
    ended = wop("workflow", "validate", str(bad), good, "--json")
    first, second = json.loads(ended.out)
    assert (ended.status, first["file"], first["error"]) == (1, str(bad), "validation_error")
    assert (second["file"], second["valid"]) == (good, True)
    assert wop("workflow", "validate", str(bad), good).out == f"{good}\n"


def test_warnings_are_told_and_change_nothing(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"code": "careful", "severity": "warning", "pointer": "/nodes/0", "message": "Nobody can\x1b[2J answer."}

    def warn(*_: object, **__: object) -> JsonObject:
        return {"valid": True, "diagnostics": [dict(found)]}

    monkeypatch.setattr("interrupts.surfaces.cli.gateways.call", warn)
    ended = wop("workflow", "validate", "-", stdin=b"{}")
    assert (ended.status, ended.out) == (0, "-\n")
    assert ended.err == "-: warning: /nodes/0: Nobody can\\u001b[2J answer. [careful]\n"


@pytest.mark.django_db
def test_validating_needs_no_tenant_and_no_database(wop: Wop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path, "flow.json", factories.one_gate())
    with CaptureQueriesContext(connection) as asked:
        assert wop("workflow", "validate", path).status == 0
    assert len(asked) == 0


def test_the_help_says_where_to_learn_how_to_write_one(wop: Wop) -> None:
    for verb in ("load", "validate"):
        assert (
            "How to write one: docs/workflows.md. Samples: interrupts/samples/." in wop("workflow", verb, "--help").out
        )
