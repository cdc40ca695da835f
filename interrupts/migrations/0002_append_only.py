"""The log is append-only, workflow versions never change; on PostgreSQL an append also wakes pollers."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_GUARDS = [
    ("interrupts_runevent", "update", "the event log is append-only"),
    ("interrupts_runevent", "delete", "the event log is append-only"),
    ("interrupts_workflow", "update", "a workflow version never changes"),
]

_POSTGRESQL_REFUSE = """
CREATE OR REPLACE FUNCTION interrupts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$
"""
_POSTGRESQL_NOTIFY = """
CREATE OR REPLACE FUNCTION interrupts_notify_run_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('wop_run_events', run_id) FROM (SELECT DISTINCT run_id FROM appended) AS runs;
  RETURN NULL;
END $$
"""
_POSTGRESQL_NOTIFY_TRIGGER = """
CREATE TRIGGER interrupts_runevent_notify AFTER INSERT ON interrupts_runevent
REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION interrupts_notify_run_events()
"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(_POSTGRESQL_REFUSE, None)
        for table, verb, reason in _GUARDS:
            editor.execute(
                f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table}"
                f" FOR EACH ROW EXECUTE FUNCTION interrupts_refuse('{reason}')"
            )
        editor.execute(_POSTGRESQL_NOTIFY, None)
        editor.execute(_POSTGRESQL_NOTIFY_TRIGGER)
        return
    for table, verb, reason in _GUARDS:
        editor.execute(
            f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table}"
            f" BEGIN SELECT RAISE(ABORT, '{reason}'); END"
        )


def unguard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    on_table = editor.connection.vendor == "postgresql"
    for table, verb, _ in _GUARDS:
        editor.execute(f"DROP TRIGGER {table}_no_{verb}" + (f" ON {table}" if on_table else ""))
    if on_table:
        editor.execute("DROP TRIGGER interrupts_runevent_notify ON interrupts_runevent")
        editor.execute("DROP FUNCTION interrupts_notify_run_events()")
        editor.execute("DROP FUNCTION interrupts_refuse()")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("interrupts", "0001_initial")]

    operations: ClassVar = [migrations.RunPython(guard, unguard)]
