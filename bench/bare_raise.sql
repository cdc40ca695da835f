-- The rows that raising one gate writes, as one bare transaction: the limit that the same database sets.
SELECT 'bench/r-' || replace(gen_random_uuid()::text, '-', '') AS run,
       'bench/i-' || replace(gen_random_uuid()::text, '-', '') AS interrupt \gset
BEGIN;
INSERT INTO interrupts_suspension (id, tenant_id, run_id, node_id, kind, key, title, payload, resume_schema, opened_at, deadline, outcome, resolution, resolved_at)
VALUES (:interrupt, 'bench', :run, 'gate', 'approval', md5(:run::text) || md5(:interrupt::text), 'Bench', :payload, NULL, now(), NULL, NULL, NULL, NULL);
INSERT INTO approvals_gateapprover (suspension_id, ref_id) VALUES (:interrupt, :ref);
INSERT INTO interrupts_run (id, tenant_id, workflow_id, workflow_key, status, current_node_id, last_sequence, owner, inputs, variables, configurable, tags, metadata, error, state, scope_id, dedup_scope, callback_url, tree, depth, ends_with_parent, parent_node_id, created_at, completed_at)
VALUES (:run, 'bench', :workflow, 'bench', 'waiting-approval', 'gate', 3, '{}', '{}', '{}', NULL, '[]', NULL, NULL, :payload, '', NULL, '', '', 0, false, '', now(), NULL);
INSERT INTO interrupts_runevent (run_id, sequence, event_id, type, node_id, payload, at)
SELECT :run, s, 'e-' || replace(gen_random_uuid()::text, '-', ''), 'node.started', 'gate', :payload, now() FROM generate_series(0, 3) AS s;
COMMIT;
