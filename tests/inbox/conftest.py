"""The inbox as people use it: through Django's client, five minutes after ``NOW``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import time_machine
from django.test import Client

from interrupts.models import Membership
from tests.factories import after, member

SignIn = Callable[..., Client]


@pytest.fixture(autouse=True)
def clock(db: None) -> Iterator[time_machine.Traveller]:
    """The clock stands still; ``clock.move_to`` moves it."""
    with time_machine.travel(after(minutes=5), tick=False) as traveller:
        yield traveller


@pytest.fixture
def sign_in() -> SignIn:
    """A browser in which that person is signed in; they are made a member of the tenant on first use."""

    def signed_in(username: str = "ann", *, of: str = "acme", csrf: bool = False) -> Client:
        found = Membership.objects.filter(user__username=username, tenant_id=of).select_related("user").first()
        client = Client(enforce_csrf_checks=csrf)
        client.force_login((found or member(username, of=of)).user)
        return client

    return signed_in
