"""``wop``: the command line as a program of its own, from any directory (bin/wop starts it)."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

_STOPPED = 130


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")
    if sys.stdout is None:
        # Closed by the shell (`>&-`): nobody wants to hear anything.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        execute_from_command_line(["wop", "wop", *sys.argv[1:]])
    except KeyboardInterrupt:
        # While it was still starting; a command that has begun ends itself in the same way.
        sys.exit(_STOPPED)


if __name__ == "__main__":
    main()
