"""Pay an invoice if somebody approves it: ``python3 -m examples.plain_script.pay NUMBER AMOUNT FOLDER``.

The script may be killed at any moment. Started again with the same words it goes on where it was: it never asks twice
and never pays twice.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path

from examples.questions import Questions, Refused, Unanswered

WORKFLOW = Path(__file__).with_name("workflow.json")


def main() -> None:
    parser = ArgumentParser("examples.plain_script.pay", description="Pay an invoice if somebody approves it.")
    parser.add_argument("number", metavar="NUMBER", help="the number of the invoice")
    parser.add_argument("amount", metavar="AMOUNT", type=float, help="what there is to pay")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to note what was asked and what came of it")
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"there is no folder {given.folder}")
    try:
        print(pay(given.number, given.amount, given.folder))
    except (Refused, OSError) as problem:
        sys.exit(f"pay: {problem}")
    except KeyboardInterrupt:
        sys.exit("pay: stopped. Started again with the same words it goes on where it was.")


def pay(number: str, amount: float, folder: Path) -> str:
    done, asked = folder / f"{number}.done", folder / f"{number}.asked"
    if done.exists():
        return done.read_text("utf-8")
    questions = Questions()
    if not asked.exists():
        questions.register(WORKFLOW)
        inputs = {"number": number, "amount": amount}
        write(asked, questions.ask("pay-invoice", inputs, once=f"pay-invoice {number}"))
    print(f"Waiting until somebody answers in {questions.url}/inbox/", file=sys.stderr)
    try:
        answer = questions.wait(asked.read_text("utf-8"))
    except Unanswered as reason:
        return write(done, f"{number} is not paid: {reason}")
    if answer.outcome == "approved":
        return write(done, f"{number} is paid")
    return write(done, f"{number} is not paid: {answer.payload.get('reason', 'no reason given')}")


def write(file: Path, text: str) -> str:
    """Write a file so that it is there as a whole or not at all."""
    half = file.with_suffix(".half")
    half.write_text(text, "utf-8")
    half.replace(file)
    return text


if __name__ == "__main__":
    main()
