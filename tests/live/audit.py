"""Looks at every stored run of an installation and prints what is wrong as JSON, by run id: ``{}`` when all is well."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from interrupts.models import Run  # noqa: E402 - needs the apps
from tests.concurrency.soundness import assert_sound  # noqa: E402


def main() -> None:
    problems = {run_id: problem for run_id in Run.objects.values_list("pk", flat=True) if (problem := _problem(run_id))}
    sys.stdout.write(json.dumps(problems))


def _problem(run_id: str) -> str:
    try:
        assert_sound(run_id)
    except AssertionError as error:
        return str(error) or "unsound"
    return ""


if __name__ == "__main__":
    main()
