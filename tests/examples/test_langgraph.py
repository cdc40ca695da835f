"""A LangGraph `interrupt()` becomes a question to people, and their answer resumes the graph."""

from __future__ import annotations

import pytest

from tests.examples.conftest import Host, Program, Shell

FLOW = "review-draft"
REVISED = "About herons, version 2. Considered: Say where they nest."

pytestmark = pytest.mark.timeout(400)


def write(shell: Shell) -> Program:
    return shell.start("-m", "examples.langgraph.bridge", "herons", str(shell.folder / "graph.sqlite3"))


def test_a_graph_whose_process_dies_at_each_question_goes_on_with_the_answers(host: Host, shell: Shell) -> None:
    process = write(shell)
    first = host.await_question(FLOW, count=1)
    process.kill()
    host.answer(first, "rejected", reason="Say where they nest.")

    process = write(shell)
    second = host.await_question(FLOW, count=2)
    assert host.runs(FLOW)[0]["inputs"] == {"draft": REVISED}
    process.kill()

    process = write(shell)
    host.answer(second, "approved")
    assert process.printed() == REVISED
    assert write(shell).printed() == REVISED
    assert len(host.runs(FLOW)) == 2
