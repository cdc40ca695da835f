"""A worker that only sends mail: ``python -m tests.mail_process SECONDS``, with its clock so many seconds ahead.

It sends what is due by the settings of its environment, and ends.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from functools import partial

import django
from django.utils import timezone

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")
django.setup()

from approvals.mailing.sending import take_due  # noqa: E402 - Django comes first
from tests.errands import make_next  # noqa: E402


def main() -> None:
    ahead = timedelta(seconds=float(sys.argv[1]))
    while make_next(partial(take_due, clock=lambda: timezone.now() + ahead)):
        pass


if __name__ == "__main__":
    main()
