"""``wop`` as a program: from any directory, with completion, in colour for a person and plain for a script."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from approvals.management.commands.wop import COMMANDS
from interrupts.surfaces.cli.command import STOPPED
from interrupts.surfaces.cli.paint import Paint, paint_for
from tests.architecture.sources import ROOT
from tests.surfaces.cli.conftest import Wop


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The program where `make setup` puts it, in a project that is this one."""
    project = tmp_path / "a project"
    (project / ".venv/bin").mkdir(parents=True)
    for name in ("interrupts", "approvals", "wopsite", "bin", "templates", "static"):
        (project / name).symlink_to(ROOT / name)
    python = project / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (project / "bin").unlink()
    shutil.copytree(ROOT / "bin", project / "bin")
    (project / ".venv/bin/wop").symlink_to("../../bin/wop")
    return project / ".venv/bin/wop"


@pytest.mark.timeout(120)
def test_it_runs_from_any_directory_through_a_link_and_past_files_of_the_same_names(
    installed: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("json", "wopsite", "django"):
        (elsewhere / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    (elsewhere / "mine").symlink_to(installed)
    environment = {"PATH": os.environ["PATH"], "WOP_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        ["./mine", "explain", "run_timout"],
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "There is no code 'run_timout'. Did you mean run_timeout? 'wop explain' lists them all.\n"


def test_its_help_calls_it_by_its_name_and_keeps_the_frameworks_options_to_itself(wop: Wop) -> None:
    ended = wop("--help", program="wop")
    assert ended.out.startswith("usage: wop [-h]")
    assert "--settings" not in ended.out
    assert wop("--version", program="wop").out == "0.1.0\n"
    assert wop("run", "show", "--help", program="wop").out.startswith("usage: wop run show ")


def test_stopping_it_is_no_fault(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_code: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("interrupts.surfaces.cli.explain.nearest", stop)
    ended = wop("explain", "nothing")
    assert (ended.status, ended.out, ended.err) == (STOPPED, "", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_knows_every_command(wop: Wop, shell: str) -> None:
    ended = wop("completion", shell)
    assert (ended.status, ended.err) == (0, "")
    for command in COMMANDS:
        for word in command.words.split():
            assert re.search(rf"\b{word}\b", ended.out), command.words


def test_a_completion_script_is_one_that_bash_understands(wop: Wop) -> None:
    script = wop("completion", "bash").out
    asked = f'{script}\nCOMP_WORDS=(wop run sh); COMP_CWORD=2; _shtab_wop; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.split() == ["show"], done.stderr


def test_an_unknown_shell_is_told_which_there_are(wop: Wop) -> None:
    ended = wop("completion", "csh")
    assert ended.status == 2
    assert "'bash', 'zsh', 'fish'" in ended.err


def test_colour_is_for_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint_for(Terminal()).strong("x") == "\x1b[1mx\x1b[0m"
    assert paint_for(io.StringIO()) == Paint(has_colour=False)
    monkeypatch.setenv("TERM", "dumb")
    assert not paint_for(Terminal()).has_colour
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not paint_for(Terminal()).has_colour
    assert paint_for(Terminal(), wanted=True).has_colour
    monkeypatch.setenv("NO_COLOR", "")
    assert paint_for(Terminal()).has_colour


def test_colour_can_be_asked_for_and_refused(wop: Wop) -> None:
    assert "\x1b[" not in wop("explain", "not_found").out
    assert "\x1b[1mnot_found\x1b[0m" in wop("--force-color", "explain", "not_found").out
    assert "\x1b[31mThere is no code" in wop("--force-color", "explain", "nothing").err
    assert "\x1b[" not in wop("--no-color", "explain", "not_found").out
