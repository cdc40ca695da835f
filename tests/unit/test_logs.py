"""Log lines: one record, one line; and never a token that could decide something."""

from __future__ import annotations

import logging
import sys

import pytest

from wopsite.logs import LineFormatter, hide_tokens

TOKEN = "eyJhbGciOi.J9-x_y~z"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f'request="GET /interrupts/{TOKEN} HTTP/1.1"', 'request="GET /interrupts/[hidden] HTTP/1.1"'),
        (f"Not Found: /interrupts/{TOKEN}?a=b", "Not Found: /interrupts/[hidden]?a=b"),
        (f"https://wop.example/interrupts/{TOKEN}", "https://wop.example/interrupts/[hidden]"),
        (f"/accounts/login/?next=/interrupts/{TOKEN}&x=1", "/accounts/login/?next=/interrupts/[hidden]&x=1"),
        (f"/accounts/login/?next=%2Finterrupts%2f{TOKEN}", "/accounts/login/?next=%2Finterrupts%2f[hidden]"),
        (f"/interrupts/{TOKEN} and /interrupts/{TOKEN}", "/interrupts/[hidden] and /interrupts/[hidden]"),
        (f"GET /interrupts/{TOKEN}?campaign=x.py HTTP/1.1", "GET /interrupts/[hidden]?campaign=x.py HTTP/1.1"),
        ("GET /interrupts/ow2.hs256.k.eyJ.py HTTP/1.1", "GET /interrupts/[hidden] HTTP/1.1"),
        ("GET /interrupts/eyJ.py-_z HTTP/1.1", "GET /interrupts/[hidden] HTTP/1.1"),
        (
            "POST /host/wopsite/runs/acme~2Fr-1/interrupts/gate/links HTTP/1.1",
            "POST /host/wopsite/runs/acme~2Fr-1/interrupts/gate/links HTTP/1.1",
        ),
        ("POST /runs/acme~2Fr-1/interrupts/gate HTTP/1.1", "POST /runs/acme~2Fr-1/interrupts/gate HTTP/1.1"),
        ("POST /runs/acme/r-1/interrupts/gate HTTP/1.1", "POST /runs/acme/r-1/interrupts/gate HTTP/1.1"),
        ("GET /inbox/ HTTP/1.1", "GET /inbox/ HTTP/1.1"),
        ("GET /host/wopsite/connected?state=s&code=c HTTP/1.1", "GET /host/wopsite/connected?[hidden] HTTP/1.1"),
        (
            "/accounts/login/?next=/host/wopsite/connected%3Fcode%3Dc",
            "/accounts/login/?next=/host/wopsite/connected%3F[hidden]",
        ),
        ('File "/srv/interrupts/events.py", line 3', 'File "/srv/interrupts/events.py", line 3'),
    ],
)
def test_tokens_are_hidden_and_node_ids_are_not(line: str, shown: str) -> None:
    assert hide_tokens(line) == shown


def formatted(message: str, **options: object) -> str:
    record = logging.LogRecord("wop", logging.INFO, __file__, 1, message, None, None)
    vars(record).update(options)
    return LineFormatter("%(levelname)s %(name)s %(message)s").format(record)


def test_a_line_break_from_outside_starts_no_new_record() -> None:
    assert formatted("path=/x\nINFO wop forged") == "INFO wop path=/x\n    INFO wop forged"


def test_a_traceback_follows_its_record_indented_and_without_tokens() -> None:
    try:
        raise ValueError(f"/interrupts/{TOKEN}")
    except ValueError:
        text = formatted("failed", exc_info=sys.exc_info())
    first, *others = text.splitlines()
    assert first == "INFO wop failed"
    assert others
    assert all(line.startswith("    ") for line in others)
    assert others[-1] == "    ValueError: /interrupts/[hidden]"
