"""A graph that writes, has somebody review what it wrote, and publishes it or writes anew.

It knows nothing of any host: where a person must decide, it calls LangGraph's own ``interrupt``.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt


class Article(TypedDict, total=False):
    topic: str
    draft: str
    notes: list[str]
    published: str


def write(article: Article) -> Article:
    notes = article.get("notes", [])
    considered = f" Considered: {'; '.join(notes)}" if notes else ""
    return {"draft": f"About {article['topic']}, version {len(notes) + 1}.{considered}"}


def review(article: Article) -> Command[Literal["write", "publish"]]:
    answer = interrupt({"draft": article["draft"]})
    if answer["outcome"] == "approved":
        return Command(goto="publish")
    return Command(
        goto="write", update={"notes": [*article.get("notes", []), answer["payload"].get("reason", "write it anew")]}
    )


def publish(article: Article) -> Article:
    return {"published": article["draft"]}


def build() -> StateGraph[Any, Any, Any, Any]:
    graph = StateGraph(Article)
    for step in (write, review, publish):
        graph.add_node(step)
    graph.add_edge(START, "write")
    graph.add_edge("write", "review")
    graph.add_edge("publish", END)
    return graph
