"""``wop grant``, ``wop revoke`` and ``wop sample``: the commands that know approvers."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from approvals import grants
from approvals.grants import HolderName, RefName
from approvals.samples import ADMINISTRATOR, Account, load_samples
from interrupts import conf
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument
from interrupts.vocabulary import RefKind

_MAX_REF: Final = 256


def _ref(text: str) -> RefName:
    kind, _, ref = text.partition(":")
    if ref != ref.strip():
        raise ArgumentTypeError(f"a reference neither begins nor ends with a space: {text!r}")
    if kind not in set(RefKind) or not 1 <= len(ref) <= _MAX_REF:
        kinds = ", ".join(f"{kind}:…" for kind in RefKind)
        raise ArgumentTypeError(f"must be one of {kinds} (up to {_MAX_REF} characters), not {text!r}")
    return RefName(RefKind(kind), ref)


def _holder(text: str) -> HolderName:
    sort, _, name = text.partition(":")
    if sort not in {"user", "group"} or not name:
        raise ArgumentTypeError(f"must be user:NAME or group:NAME, not {text!r}")
    return HolderName(name, is_group=sort == "group")


def _grant_arguments(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--ref", type=_ref, metavar="KIND:REF", help="principal:…, group:… or role:… as gates name it")
    what.add_argument("--override", metavar="WORKFLOW", help="the right to release a gate of this workflow alone")
    parser.add_argument("--to", type=_holder, required=True, metavar="user:NAME|group:NAME", help="who holds it")
    tenant_argument(parser)


def _grant(arguments: Namespace, _now: datetime) -> Outcome:
    tenant = chosen_tenant(arguments)
    if arguments.ref is None:
        workflow = grants.grant_override(tenant=tenant, workflow_id=arguments.override, holder=arguments.to)
        return Outcome(values=(workflow.workflow_id,))
    return Outcome(values=(str(grants.grant_answer_as(tenant=tenant, ref=arguments.ref, holder=arguments.to)),))


def _revoke(arguments: Namespace, _now: datetime) -> Outcome:
    tenant = chosen_tenant(arguments)
    if arguments.ref is None:
        workflow = grants.revoke_override(tenant=tenant, workflow_id=arguments.override, holder=arguments.to)
        return Outcome(values=(workflow.workflow_id,))
    return Outcome(values=(str(grants.revoke_answer_as(tenant=tenant, ref=arguments.ref, holder=arguments.to)),))


def _no_arguments(_parser: ArgumentParser) -> None:
    """There are none."""


def _sample(_arguments: Namespace, now: datetime) -> Outcome:
    sample = load_samples(now=now)
    origin = conf.local_url()
    return Outcome(
        values=(
            f"Tenant {sample.tenant_id}, {len(sample.workflow_ids)} workflows, {len(sample.run_ids)} runs waiting.",
            "",
            f"Accounts for {origin}/ (their passwords are shown this once):",
            *_table(sample.accounts),
            "",
            f"A key that acts as {ADMINISTRATOR} (shown this once), and a first call with it:",
            f"  {sample.key}",
            f"  curl -H 'Authorization: Bearer {sample.key}' {origin}/runs",
        )
    )


def _table(accounts: Iterable[Account]) -> list[str]:
    return [f"  {account.username:<6} {account.password}  {account.role}" for account in accounts]


COMMANDS: Final = (
    Command(
        words="grant",
        summary="Give a person or a group the right to answer as a reference, or to override a workflow's gates",
        example="wop grant --ref role:release-manager --to user:carol --tenant acme",
        arguments=_grant_arguments,
        run=_grant,
    ),
    Command(
        words="revoke",
        summary="Take back what 'wop grant' gave, from the next answer on",
        example="wop revoke --ref role:release-manager --to user:carol --tenant acme",
        arguments=_grant_arguments,
        run=_revoke,
    ),
    Command(
        words="sample",
        summary="Load sample workflows, accounts and runs into an empty database and print how to sign in",
        example="wop sample",
        arguments=_no_arguments,
        run=_sample,
    ),
)
