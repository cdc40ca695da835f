"""docs/api.md says what the code does."""

from __future__ import annotations

import re
from typing import Any, cast

from interrupts.surfaces.problems import RENDERINGS
from interrupts.urls import urlpatterns
from tests.architecture.sources import ROOT

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
            served.add((method, path, str(operation.scope or "none")))
    assert listed == served


def _wire_name(found: re.Match[str]) -> str:
    first, letter, rest, plain = found.groups()
    return f"{{{plain or first + letter.upper() + rest}}}"
