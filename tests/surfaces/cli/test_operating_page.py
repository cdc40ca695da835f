"""docs/operating.md: its commands run as they are printed, in order, on a new database."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs/operating.md").read_text("utf-8")


def _block(beginning: str) -> str:
    found: list[str] = [
        text for text in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S) if text.startswith(beginning)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.sqlite
@pytest.mark.timeout(180)
def test_the_commands_for_people_keys_and_rights_run_as_printed(tmp_path: Path) -> None:
    commands = "\n".join(
        [
            "set -eu",
            ".venv/bin/python manage.py migrate --verbosity 0",
            _block("PATH="),
            'wop() { .venv/bin/python -m wopsite.command_line "$@"; }',
            _block("wop tenant create"),
            'echo "$KEY"',
        ]
    ).replace(".venv/bin/python", sys.executable)
    environment = {"PATH": os.environ["PATH"], "WOP_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", commands], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stderr
    *_, run_id, key = done.stdout.splitlines()
    assert re.fullmatch(r"acme/r-[0-9a-f]{32}", run_id)
    assert re.fullmatch(r"wop_[0-9a-f]{12}_\S{43}", key)
    with sqlite3.connect(tmp_path / "wopsite.sqlite3") as database:
        status = database.execute("SELECT status FROM interrupts_run WHERE id = ?", [run_id]).fetchone()
    database.close()
    assert status == ("waiting-approval",)
