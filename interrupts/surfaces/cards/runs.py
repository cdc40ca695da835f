"""Cards of the codes that tell in which state a run is, or why it failed."""

from __future__ import annotations

from typing import Final

from interrupts.surfaces.cards.card import Card

CARDS: Final = (
    Card(
        code="interrupt_already_resolved",
        meaning="The question is closed: somebody answered it before you, its deadline passed, or its run has ended.",
        example="Two people approve at the same moment. One approval counts, the other is told this.",
        advice="Nothing needs to be done. 'wop run inspect ID' shows how the run went on, and what it waits for now.",
    ),
    Card(
        code="run_terminal",
        meaning="The run has ended, and what has ended cannot be changed. On a run that failed: the run it started did"
        " not complete.",
        example="wop run cancel, for a run that is completed.",
        advice="Start a new run if the work is to be done again.",
    ),
    Card(
        code="run_state_conflict",
        meaning="The run is in another state than this needs. details.runStatus says in which.",
        example="A run is paused that already is paused, or answered while nothing is asked.",
        advice="Look at the run with 'wop run inspect ID', and do what its state allows.",
    ),
    Card(
        code="run_already_active",
        meaning="A run with the same scopeId is not over yet, and only one may be under way.",
        example="The nightly report is started while yesterday's still waits for its approval.",
        advice="Wait until that run has ended, or cancel it.",
    ),
    Card(
        code="version_conflict",
        meaning="This version of the workflow is registered already, with other content. Versions never change.",
        example="expense.json was edited and is loaded again, still as version 1.",
        advice="Give the changed workflow a new 'version', and register that.",
    ),
    Card(
        code="approval_rejected",
        meaning="The run failed because an approval was rejected, by a vote or because its deadline passed.",
        example="The manager rejects an expense.",
        advice="Nothing is broken. If the workflow is to go on after a rejection, let an edge with the trigger rule"
        " any_failed or all_complete lead away from the gate.",
    ),
    Card(
        code="node_config_invalid",
        meaning="A node of the run could not be carried out with the values that it was given.",
        example="The node's input reads the variable 'amount', and no such variable was set.",
        advice="Read the run's error: its details name the input or the place. Correct the workflow or the run's"
        " inputs, and start a new run.",
    ),
    Card(
        code="recursion_limit_exceeded",
        meaning="The run started more nodes, or more runs below it, than it may.",
        example="A workflow goes round for ever because the condition that ends its loop never holds.",
        advice="Look for the loop. If so many are meant, an operator raises WOP_MAX_NODE_EXECUTIONS; how deep and how"
        " many sub-workflows may be is fixed.",
    ),
    Card(
        code="loop_limit_exceeded",
        meaning="A loop of the run went round more often than the run's own option allows.",
        example="A run with maxLoopIterations 3 is sent back for changes a fourth time.",
        advice="Give the run a larger configurable.run.maxLoopIterations, or find out why the loop does not end.",
    ),
    Card(
        code="run_timeout",
        meaning="The run took longer than it may.",
        example="A run with a limit of a day waits for an approval over a weekend.",
        advice="Give the workflow a longer settings.timeout, or the run a longer configurable.run.runTimeoutMs.",
    ),
    Card(
        code="connector_auth_declined",
        meaning="The run needed an account elsewhere to be connected, and a person declined.",
        example="The run asks for access to a calendar, and the person says no.",
        advice="Start the run again when the person agrees, or let the workflow do without the account.",
    ),
)
