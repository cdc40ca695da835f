"""The answer to every kind of interrupt but an approval: a form made from the schema of what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from approvals.forms import names
from approvals.forms.decode import ABSENT, Decoded, Fault
from approvals.forms.fields import Fields
from approvals.forms.labels import label_of, option_labels
from approvals.forms.merging import document
from approvals.forms.names import Field
from approvals.forms.nodes import Node
from approvals.forms.placing import place
from approvals.forms.plan import Part
from approvals.forms.shapes import Kind
from approvals.forms.sheet import blank_sheet, sheet
from approvals.inbox.answers import shown_digest
from approvals.inbox.drafts import Typed
from approvals.inbox.presenters.form import words
from approvals.inbox.presenters.form.views import Look, View, present_sheet
from approvals.inbox.presenters.text import visible
from approvals.inbox.renderers import Drawing, drawing_of
from interrupts.contracts.pointers import position
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind

SUBMIT: Final = "submit"
_ANSWERS: Final = names.child(names.ROOT, "answers")
_OUTCOME: Final = names.child(names.ROOT, "outcome")
_PAYLOAD: Final = names.child(names.ROOT, "payload")
_MAX_OUTCOMES: Final = 8
# A question that says nothing of its answer: any text, of any length.
_ANY_TEXT: Final[JsonSchema] = {"type": "string", "maxLength": 400_000}


class ReplyForm:
    """What the page of a question shows and posts.

    ``messages`` says what is wrong, by the ids of the inputs; ``general`` what is wrong with no input of its own.
    """

    def __init__(self, suspension: Suspension, data: QueryDict | None = None) -> None:
        self.payload = cast("JsonObject", suspension.payload)
        self.data = QueryDict() if data is None else data
        self.is_clarification = suspension.kind == InterruptKind.CLARIFICATION
        self.drawing = drawing_of(suspension)
        self.parts = _parts(suspension, self.drawing)
        self.messages: dict[str, str] = {}
        self.general: list[str] = []
        self.sheet = blank_sheet(self.parts) if data is None else sheet(self.parts, self._fields())
        self._decoded: list[Decoded] = []

    @property
    def pressed(self) -> str:
        return str(self.data.get("op", ""))

    @property
    def is_submitted(self) -> bool:
        return self.pressed == SUBMIT or self.pressed.startswith(f"{SUBMIT}:")

    @property
    def is_for_what_is_shown(self) -> bool:
        """Whether the page that was answered showed the question as it is."""
        return self.data.get("shown") == shown_digest(self.payload)

    @property
    def errors(self) -> list[tuple[str, str, str]]:
        """What is wrong: the id of the input, what it is called, and the message, in the order of the page."""
        named = [entry for tree in self.sheet.trees for entry in _named(tree)]
        placed = [(node.id, name, self.messages[node.id]) for node, name in named if node.id in self.messages]
        return [("answer", "", message) for message in self.general] + placed

    def operate(self) -> bool:
        """Do what a button of the form says, and tell whether there was one."""
        changed = self.sheet.operate(self.pressed)
        if changed is None:
            return False
        self.sheet = changed
        return True

    def is_valid(self) -> bool:
        """Tell whether every input can be read. Whether the value fits is the use case's to say."""
        self._decoded = self.sheet.decode()
        for decoded, tree in zip(self._decoded, self.sheet.trees, strict=True):
            for fault in decoded.faults:
                self.messages.setdefault(fault.node.id, words.fault_in_words(fault))
            if decoded.value is ABSENT and not decoded.faults:
                self.messages.setdefault(tree.id, words.fault_in_words(Fault(tree, "", "required")))
        self._complete()
        if self.messages:
            self._judge_the_rest()
        else:
            self._take_blank_payload()
        return not self.messages

    def resume_value(self) -> JsonValue:
        """Return the answer as the protocol writes it; the form must be valid."""
        values = [cast("JsonValue", decoded.value) for decoded in self._decoded]
        if not self.is_clarification:
            return values[0]
        asked = _questions(self.payload)
        answers = {str(question["id"]): value for question, value in zip(asked, values, strict=True)}
        return {"answers": answers}

    def refuse(self, error: ValidationFailed) -> None:
        """Take in why the answer was refused, each problem at its input."""
        listed = error.details.get("problems")
        problems = [
            Problem(str(item["pointer"]), str(item["keyword"]), str(item["message"]))
            for item in (listed if isinstance(listed, list) else [])
            if isinstance(item, dict)
        ]
        for index, base in enumerate(self._bases()):
            mine = [problem for problem in problems if _is_under(problem.pointer, base)]
            problems = [problem for problem in problems if problem not in mine]
            self._place(index, mine, base)
        self.general += [visible(problem.message) for problem in problems]
        if not self.errors:
            self.general.append(visible(error.message))

    def typed(self) -> list[Typed]:
        """Return what was filled in, to be shown for copying."""
        return [typed for node in self.sheet.walk() for typed in _typed(node)]

    @property
    def json_op(self) -> str:
        """The button that turns the inputs into one for JSON, as what it posts; nothing where there is none."""
        kinds = {Kind.OBJECT, Kind.ARRAY, Kind.MAP, Kind.BRANCH}
        return next((f"raw:{n.at}" for n in self.sheet.walk() if n.at == self._main and n.kind in kinds), "")

    @property
    def views(self) -> tuple[View, ...]:
        """The inputs, for the templates."""
        apart = _OUTCOME if self._outcome_node() else ""
        if self.drawing is None:
            return present_sheet(self.sheet, Look(self.messages, apart, self._main))
        return present_sheet(
            self.sheet, Look(self.messages, apart, self._main, self.drawing.details, self.drawing.marks)
        )

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        """The buttons that send an answer which names one of a few outcomes: what each posts, and its label."""
        node = self._outcome_node()
        if node is None:
            return []
        return [(f"{SUBMIT}:{index}", label) for index, label in enumerate(words.outcomes_in_words(node.shape.options))]

    @property
    def leftover(self) -> list[tuple[str, str]]:
        """What is posted again though it has no input now."""
        return [(name, text) for name, texts in self.sheet.leftover.items() for text in texts]

    def _fields(self) -> Fields:
        fields = Fields({name: self.data.getlist(name) for name in self.data})
        if self.pressed.startswith(f"{SUBMIT}:"):
            fields = fields.put(Field.TEXT, _OUTCOME, [self.pressed.partition(":")[2]])
        return fields

    @property
    def _main(self) -> str:
        return _PAYLOAD if self._outcome_node() else names.ROOT

    def _take_blank_payload(self) -> None:
        """Any outcome but the first goes through with nothing filled in, where the schema takes an empty object."""
        node, value = self._outcome_node(), self._decoded[0].value
        if node is None or not isinstance(value, dict) or "payload" in value:
            return
        blank: JsonObject = {**value, "payload": {}}
        schema = self.parts[0].schema
        is_first = value.get("outcome") == node.shape.options[0].value
        if not is_first and self.sheet.judges[0](document(schema), schema, blank):
            self._decoded[0].value = blank

    def _complete(self) -> None:
        value = self._decoded[0].value
        if self.drawing and value is not ABSENT:
            self._decoded[0].value = self.drawing.complete(value)

    def _outcome_node(self) -> Node | None:
        tree = self.sheet.trees[0]
        if tree.kind is not Kind.OBJECT:
            return None
        for node in tree.children:
            if node.at == _OUTCOME and node.kind is Kind.CHOICE and node.required:
                are_texts = all(isinstance(option.value, str) for option in node.shape.options)
                return node if are_texts and len(node.shape.options) <= _MAX_OUTCOMES else None
        return None

    def _bases(self) -> list[str]:
        if not self.is_clarification:
            return ["/resumeValue"]
        return [f"/resumeValue{names.pointer(('answers', str(asked['id'])))}" for asked in _questions(self.payload)]

    def _judge_the_rest(self) -> None:
        """What can be read is judged as well, so that a person learns everything at once."""
        for index, decoded in enumerate(self._decoded):
            if decoded.value is not ABSENT:
                schema = self.parts[index].schema
                problems = self.sheet.judges[index].problems(document(schema), schema, decoded.value)
                self._place(index, problems or [], "")

    def _place(self, index: int, problems: Sequence[Problem], base: str) -> None:
        for placed in place(self._decoded[index], problems, self.sheet.judges[index], base=base):
            self.messages.setdefault(placed.node.id, words.problem_in_words(placed))


def _parts(suspension: Suspension, drawing: Drawing | None) -> tuple[Part, ...]:
    payload = cast("JsonObject", suspension.payload)
    if drawing is not None:
        return (Part(drawing.schema),)
    if suspension.kind == InterruptKind.CLARIFICATION:
        return tuple(_question(asked) for asked in _questions(payload))
    data = cast("JsonObject", payload["data"])
    schema = cast("JsonSchema", data.get("outcomeSchema", payload.get("resumeSchema", True)))
    title = _("Your answer, as JSON") if schema in (True, {}) else ""
    return (Part(schema, title=title),)


def _question(asked: JsonObject) -> Part:
    schema = cast("JsonSchema", asked.get("schema") or _ANY_TEXT)
    return Part(schema, names.child(_ANSWERS, str(asked["id"])), title=str(asked["question"]))


def _questions(payload: JsonObject) -> list[JsonObject]:
    return cast("list[JsonObject]", cast("JsonObject", payload["data"])["questions"])


def _is_under(pointer: str, base: str) -> bool:
    return pointer == base or pointer.startswith(f"{base}/")


def _named(node: Node, holder: str = "") -> Iterator[tuple[Node, str]]:
    """Yield each input with what it is called; what is inside a row is named by its list as well."""
    label = words.in_words(label_of(node))
    name = f"{holder}, {label}" if holder else label
    yield node, name
    for child in node.children:
        yield from _named(child, name if child.row_key or node.row_key else holder)


def _typed(node: Node) -> Iterator[Typed]:
    label = words.in_words(label_of(node))
    match node.kind:
        case Kind.CHOICE | Kind.MULTICHOICE:
            labels = [words.in_words(option) for option in option_labels(node.shape.options)]
            chosen = [position(text, len(labels)) for text in node.texts]
            text = ", ".join(labels[index] for index in chosen if index is not None)
        case _:
            text = node.text
    if node.key.strip():
        yield Typed(label, node.key)
    if text.strip():
        yield Typed(label, text)
