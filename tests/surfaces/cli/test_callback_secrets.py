"""``wop callback-secret rotate``."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from interrupts.services.callbacks import signing_secret
from tests import factories
from tests.surfaces.cli.conftest import Wop


def test_the_first_secret_signs_at_once_and_is_all_that_is_printed(wop: Wop) -> None:
    factories.tenant()
    made = wop("callback-secret", "rotate", "--tenant", "acme")
    assert made.status == 0
    assert made.value == signing_secret(tenant_id="acme", now=timezone.now())
    assert "It signs from " in made.err


def test_the_next_one_signs_after_the_overlap(wop: Wop) -> None:
    factories.tenant()
    first = wop("callback-secret", "rotate", "--tenant", "acme").value
    second = wop("callback-secret", "rotate", "--tenant", "acme", "--overlap-hours", "2").value
    assert signing_secret(tenant_id="acme", now=timezone.now()) == first
    assert signing_secret(tenant_id="acme", now=timezone.now() + timedelta(hours=2)) == second


def test_no_overlap_ends_a_leaked_secret_at_once(wop: Wop) -> None:
    factories.tenant()
    wop("callback-secret", "rotate", "--tenant", "acme")
    second = wop("callback-secret", "rotate", "--tenant", "acme", "--overlap-hours", "0").value
    assert signing_secret(tenant_id="acme", now=timezone.now()) == second


@pytest.mark.parametrize("hours", ["-1", "1.5", "721", "x"])
def test_an_overlap_that_cannot_be_is_refused(wop: Wop, hours: str) -> None:
    factories.tenant()
    refused = wop("callback-secret", "rotate", "--tenant", "acme", f"--overlap-hours={hours}")
    assert refused.status == 2
    assert "must be a whole number of hours from 0 to 720" in refused.err


def test_an_unknown_tenant_is_told(wop: Wop) -> None:
    refused = wop("callback-secret", "rotate", "--tenant", "nobody")
    assert (refused.status, refused.out) == (3, "")
