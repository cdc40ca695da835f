"""The same conversation opened twice at one moment: the database lets one have its id."""

from __future__ import annotations

from collections import Counter

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.models import Conversation, Run
from interrupts.services.runs import CreateRun, create_run
from tests.concurrency.racing import at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import NOW, actor, last, one_interrupt, register

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
