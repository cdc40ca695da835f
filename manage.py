#!/usr/bin/env python
"""The project's command line: `python manage.py help` lists what it can do."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
