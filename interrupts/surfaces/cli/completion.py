"""``wop completion``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final

import shtab

from interrupts.surfaces.cli.command import Command, Outcome

PROGRAM: Final = "wop"
_SHELLS: Final = ("bash", "zsh", "fish")
_HOW_TO_INSTALL: Final = """To have it in every new shell:
  bash   echo 'eval "$(wop completion bash)"' >> ~/.bashrc
  zsh    wop completion zsh > ~/.zfunc/_wop    (with a folder of $fpath, before compinit)
  fish   wop completion fish > ~/.config/fish/completions/wop.fish"""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="the shell that you use")


def _completion(arguments: Namespace, _now: datetime) -> Outcome:
    return Outcome(values=(shtab.complete(arguments.program, arguments.shell, root_prefix=PROGRAM),))


COMMANDS: Final = (
    Command(
        words="completion",
        summary="Print a script that completes the words of wop when you press Tab",
        example='eval "$(wop completion bash)"',
        arguments=_arguments,
        run=_completion,
        more=_HOW_TO_INSTALL,
    ),
)
