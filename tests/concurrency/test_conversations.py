"""The same conversation opened twice at one moment: the database lets one have its id."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress

import pytest

from interrupts import conversations
from interrupts.contracts.types import JsonObject
from interrupts.models import Conversation, Run
from interrupts.services.runs import CreateRun, create_run
from tests.concurrency.racing import at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import NOW, actor, last, node, one_interrupt, register, workflow

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_eight_runs_that_open_one_conversation_one_does_and_the_others_fail() -> None:
    document: JsonObject = one_interrupt("conversation.start", {"conversationId": "only-one"})
    register(document)
    request = CreateRun(actor=actor("owner"), workflow_id="flow")
    outcomes = at_once(*(lambda: create_run(request=request, now=NOW) for _ in range(8)))
    assert codes(outcomes) == ["ok"] * 8
    assert Counter(Run.objects.values_list("status", flat=True)) == {"waiting-input": 1, "failed": 7}
    holder = Conversation.objects.get()
    assert holder.run.status == "waiting-input"
    for run_id in Run.objects.values_list("pk", flat=True):
        assert_sound(run_id)
        if run_id != holder.run_id:
            assert last(run_id, "run.failed")["error"]["code"] == "node_config_invalid"


def opening(first: str, second: str) -> JsonObject:
    """A workflow that opens two conversations side by side, so in one transaction."""
    config: JsonObject = {"kind": "conversation.start"}
    starts = [
        node(name, "core.interrupt", config={**config, "data": {"conversationId": name}}) for name in (first, second)
    ]
    return workflow(starts, workflow_id=f"{first}-then-{second}")


def test_runs_that_open_two_conversations_in_opposite_order_do_not_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both_have_one, has_one = threading.Barrier(2), threading.local()
    really_open = conversations.open_conversation

    def open_slowly(**wish: object) -> bool:
        """Go on to the second conversation once the other run has its first, or cannot get it meanwhile."""
        is_open = really_open(**wish)  # type: ignore[arg-type]
        if not hasattr(has_one, "told"):
            has_one.told = True
            with suppress(threading.BrokenBarrierError):
                both_have_one.wait(0.5)
        return is_open

    monkeypatch.setattr(conversations, "open_conversation", open_slowly)
    names = [register(opening(*pair)).workflow_id for pair in (("x", "y"), ("y", "x"))]
    owner = actor("owner")
    requests = [CreateRun(actor=owner, workflow_id=name) for name in names]
    outcomes = at_once(*(lambda request=request: create_run(request=request, now=NOW) for request in requests))
    assert codes(outcomes) == ["ok", "ok"]
    assert sorted(Run.objects.values_list("status", flat=True)) == ["failed", "waiting-input"]
    assert {holder.run.status for holder in Conversation.objects.all()} == {"waiting-input"}
    for run_id in Run.objects.values_list("pk", flat=True):
        assert_sound(run_id)
