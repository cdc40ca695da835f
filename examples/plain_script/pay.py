"""Pay an invoice if somebody approves it: ``python -m examples.plain_script.pay NUMBER AMOUNT FOLDER``.

The script may be killed at any moment. Started again with the same words it goes on where it was: it never asks twice
and never pays twice.
"""

from __future__ import annotations

import sys
from pathlib import Path

from examples.questions import Questions, Unanswered

WORKFLOW = Path(__file__).with_name("workflow.json")


def main(number: str, amount: str, folder: Path) -> str:
    done, asked = folder / f"{number}.done", folder / f"{number}.asked"
    if done.exists():
        return done.read_text("utf-8")
    questions = Questions()
    if not asked.exists():
        questions.register(WORKFLOW)
        inputs = {"number": number, "amount": float(amount)}
        write(asked, questions.ask("pay-invoice", inputs, once=f"pay-invoice {number}"))
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
    print(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
