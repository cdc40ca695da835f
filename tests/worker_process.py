"""A worker that only delivers: ``python -m tests.worker_process SECONDS``, with its clock so many seconds ahead.

It delivers what is due by the settings of its environment, and ends.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta

import django
from django.utils import timezone

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")
django.setup()

from interrupts.services import egress  # noqa: E402 - Django comes first
from interrupts.services.deliver import deliver_next  # noqa: E402 - Django comes first


def main() -> None:
    ahead = timedelta(seconds=float(sys.argv[1]))
    while deliver_next(door=egress.from_settings(), clock=lambda: timezone.now() + ahead):
        pass


if __name__ == "__main__":
    main()
