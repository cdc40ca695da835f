"""docs/cli.md: its exchanges happen as they are printed, and its table is the one of the program."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.urls import resolve
from django.utils import timezone

from approvals.management.commands.wop import Command
from approvals.samples import load_samples
from interrupts.surfaces.cli.command import EXIT_STATUSES
from interrupts.surfaces.mcp.tools import tools
from interrupts.surfaces.mcp.view import McpView
from tests.architecture.sources import ROOT
from tests.surfaces.cli.conftest import Wop

PAGE = (ROOT / "docs/cli.md").read_text("utf-8")


def exchanges() -> list[tuple[str, str]]:
    """Each command of the page, and what is printed after it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)
    return [
        (command, told)
        for block in blocks
        for command, told in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    ]


def pattern(printed: str) -> str:
    return re.escape(printed).replace("…", ".*")


def test_every_exchange_of_the_page_happens_as_printed(
    wop: Wop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    load_samples(now=timezone.now())
    monkeypatch.chdir(tmp_path)
    ((name, text),) = re.findall(r"^`(\S+\.json)`:\n\n```json\n(.*?)^```$", PAGE, re.M | re.S)
    (tmp_path / name).write_text(text)
    run_id = ""
    for command, printed in exchanges():
        program, *words = shlex.split(command.replace("$RUN", run_id))
        assert program == "wop"
        ended = wop(*words)
        told = ended.out + ended.err
        shown = "\n".join(told.splitlines()[: printed.count("\n")]) + "\n" if "validate" in words else told
        assert re.fullmatch(pattern(printed), shown), f"{command}\n{told}"
        run_id = ended.value if words[:2] == ["run", "start"] else run_id
    assert len(exchanges()) == 13


def test_the_page_lists_every_tool_of_agents() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.partition("## Agents (MCP)")[2], re.M)
    assert listed == [(tool.name, tool.title) for tool in tools()]


def test_the_page_configures_clients_with_a_command_and_an_address_that_are_there() -> None:
    section = PAGE.partition("## Agents (MCP)")[2]
    blocks = re.findall(r"```json\n(.*?)```", section, re.S)
    here, elsewhere = (json.loads(block)["mcpServers"]["wopsite"] for block in blocks)
    parser = Command().create_parser(here["command"], "wop")
    chosen = parser.parse_args(here["args"])
    assert (chosen.command.words, chosen.person) == ("mcp", "olga")
    assert resolve(urlsplit(elsewhere["url"]).path).func.view_class is McpView  # type: ignore[attr-defined]
    assert elsewhere["headers"].keys() == {"Authorization"}


def test_the_page_lists_every_exit_status() -> None:
    listed = re.findall(r"^\| (\d+) \| (.+) \|$", PAGE, re.M)
    assert {int(status): meaning for status, meaning in listed} == EXIT_STATUSES
