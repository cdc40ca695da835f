"""A client that knows nothing of the workflow it answers: ``python -I stranger.py rest|rpc URL RUN_ID``, key on stdin.

It imports the standard library and jsonschema. What is asked, which outcomes there are and what an answer looks like it
learns from the inspection of the run alone. It sends one answer with an outcome nobody declared, one that breaks the
schema, and then one that it made from the schema; what it saw it prints as JSON.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from jsonschema import Draft202012Validator, FormatChecker

WRONG: tuple[Any, ...] = (None, [None], {"?": None}, -1.5, "")
BY_FORMAT = {
    "date": "2031-05-17",
    "date-time": "2031-05-17T14:30:00Z",
    "time": "14:30:00Z",
    "email": "ann@example.org",
    "uri": "https://example.org/",
    "uuid": "12345678-1234-4234-8234-123456789abc",
}


class Refused(Exception):
    """The host did not take an answer. ``problems`` are by JSON Pointer into what was sent."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["message"])
        self.message = told["message"]
        self.problems = told.get("details", {}).get("problems", [])


# --- Two ways to talk to the host -------------------------------------------------------------------------------------


class Rest:
    """Inspects and answers with the resources of a run."""

    base = "/resumeValue"

    def __init__(self, url: str, run_id: str, key: str) -> None:
        self.url, self.run, self.key = url, run_id.replace("/", "~2F"), key

    def inspect(self) -> Any:
        return self.send("GET", f"/host/wopsite/runs/{self.run}/interrupt")

    def answer(self, node_id: str, outcome: str, payload: Any) -> str:
        body = {"resumeValue": {"outcome": outcome, "payload": payload}}
        return str(self.send("POST", f"/runs/{self.run}/interrupts/{quote(node_id, safe='')}", body)["status"])

    def send(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self.url + path, data, headers, method=method), timeout=20) as response:
                return json.load(response)
        except HTTPError as error:
            raise Refused(json.load(error)) from error


class Rpc(Rest):
    """Inspects and answers by method names."""

    base = ""

    def __init__(self, url: str, run_id: str, key: str) -> None:
        super().__init__(url, run_id, key)
        self.run_id = run_id

    def inspect(self) -> Any:
        return self.call("workflow.runs.inspect")

    def answer(self, node_id: str, outcome: str, payload: Any) -> str:
        return str(self.call("workflow.runs.resume", outcome=outcome, payload=payload)["status"])

    def call(self, method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"run_id": self.run_id, **params}}
        answer = self.send("POST", "/host/wopsite/rpc", message)
        if "error" in answer:
            raise Refused(answer["error"]["data"])
        return answer["result"]


# --- From a schema to a form and an answer ----------------------------------------------------------------------------


def resolved(schema: Any, root: Any) -> Any:
    """Follow references inside the document, and take the first choice that is not null."""
    while isinstance(schema, dict):
        choices = [choice for choice in schema.get("anyOf", schema.get("oneOf", [])) if choice != {"type": "null"}]
        if "$ref" in schema:
            found = root
            for token in schema["$ref"].removeprefix("#/").split("/"):
                found = found[token.replace("~1", "/").replace("~0", "~")]
            schema = {**found, **{name: value for name, value in schema.items() if name != "$ref"}}
        elif choices:
            schema = {**{name: value for name, value in schema.items() if name not in ("anyOf", "oneOf")}, **choices[0]}
        else:
            break
    return schema


def form(schema: Any) -> list[str]:
    """One line for each field, as a person would be shown it."""
    root, whole = schema, resolved(schema, schema)
    lines = []
    for name, member in whole.get("properties", {}).items():
        field = resolved(member, root)
        label = field.get("title", name)
        kind = field.get("type", "anything")
        must = ", required" if name in whole.get("required", []) else ""
        lines.append(f"{label} ({kind}{must})")
    return lines


def made(schema: Any, root: Any, place: int = 0) -> Any:
    """Make a value that satisfies a schema, as far as common schemas go."""
    schema = resolved(schema, root)
    known = schema if isinstance(schema, dict) else {}
    choices = [known["const"]] if "const" in known else known.get("enum", [])
    if choices:
        return choices[place % len(choices)]
    match known.get("type"):
        case "object":
            return {name: made(member, root) for name, member in known.get("properties", {}).items()}
        case "array":
            return [made(known.get("items", True), root, index) for index in range(known.get("minItems", 1))]
        case "string":
            return BY_FORMAT.get(known.get("format", ""), f"text {place}".ljust(known.get("minLength", 0), "."))
        case "integer" | "number":
            return known.get("minimum", known.get("exclusiveMinimum", 0) + 1)
        case "boolean":
            return True
        case _:
            return None


def broken(answer: dict[str, Any], is_valid: Any) -> dict[str, Any] | None:
    """Break every member of a good answer that can be broken; None where the schema takes anything."""
    bad = {
        name: next((wrong for wrong in WRONG if not is_valid({**answer, name: wrong})), value)
        for name, value in answer.items()
    }
    return None if is_valid(bad) else bad


def main(surface: str, url: str, run_id: str) -> dict[str, Any]:
    assert find_spec("interrupts") is None, "this client must not be able to import anything of the host"
    host = {"rest": Rest, "rpc": Rpc}[surface](url, run_id, sys.stdin.readline().strip())
    shown = host.inspect()
    asked = shown["interrupt"]
    schema, node_id, outcome = asked["resume_schema"], asked["node_id"], asked["outcomes"][0]
    check = Draft202012Validator(schema, format_checker=FormatChecker()).is_valid
    good = made(schema, schema)
    assert check(good), good
    refusals = []
    for tried, payload in (("no such outcome", good), (outcome, broken(good, check))):
        if payload is None:
            continue
        try:
            host.answer(node_id, tried, payload)
        except Refused as refused:
            problems = {problem["pointer"].removeprefix(host.base): problem["message"] for problem in refused.problems}
            refusals.append({"message": refused.message, "problems": problems})
    untouched = host.inspect() == shown
    status = host.answer(node_id, outcome, good)
    return {
        "asked": {name: asked[name] for name in ("kind", "payload", "outcomes", "typed")},
        "form": form(schema),
        "refusals": refusals,
        "untouched": untouched,
        "answer": good,
        "status": status,
        "afterwards": host.inspect()["status"],
    }


if __name__ == "__main__":
    json.dump(main(*sys.argv[1:]), sys.stdout)
