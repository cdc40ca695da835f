"""Bridge LangGraph's ``interrupt`` to people: ``python -m examples.langgraph.bridge TOPIC DATABASE``.

Each interrupt of the graph becomes a run that waits in the inbox; its answer is what the graph is resumed with. The
process may die at any moment. Started again it reads the graph's state from the checkpointer, and goes on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import BaseStore
from langgraph.store.sqlite import SqliteStore
from langgraph.types import Command, Interrupt

from examples.langgraph.graph import build
from examples.questions import Questions

WORKFLOW = Path(__file__).with_name("workflow.json")


def main(topic: str, database: str) -> str:
    questions = Questions()
    questions.register(WORKFLOW)
    config: Any = {"configurable": {"thread_id": topic}}
    with SqliteSaver.from_conn_string(database) as saver, SqliteStore.from_conn_string(database) as store:
        store.setup()
        graph = build().compile(checkpointer=saver)
        if graph.get_state(config).created_at is None:
            graph.invoke({"topic": topic}, config)
        while (state := graph.get_state(config)).next:
            # Without an open interrupt the process died inside a node: that node runs again.
            answers = {asked.id: answer(questions, store, topic, asked) for asked in state.interrupts}
            graph.invoke(Command(resume=answers) if answers else None, config)
        return str(state.values["published"])


def answer(questions: Questions, store: BaseStore, thread: str, asked: Interrupt) -> dict[str, Any]:
    """Return what somebody answers to an interrupt, asking them unless they were asked already."""
    known = store.get(("asked", thread), asked.id)
    if known is None:
        run_id = questions.ask("review-draft", asked.value, once=f"{thread} {asked.id}")
        store.put(("asked", thread), asked.id, {"run_id": run_id})
    else:
        run_id = known.value["run_id"]
    given = questions.wait(run_id)
    return {"outcome": given.outcome, "payload": given.payload}


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2]))
