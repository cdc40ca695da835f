-- Copies of one run that waits for an approval, each with its log, its gate and a timer of its own.
INSERT INTO interrupts_run (id, tenant_id, workflow_id, workflow_key, status, current_node_id, last_sequence, owner, inputs, variables, configurable, tags, metadata, error, state, scope_id, dedup_scope, callback_url, tree, depth, ends_with_parent, parent_node_id, created_at, completed_at)
SELECT tenant_id || '/r-' || %(batch)s || lpad(n::text, 28, '0'), tenant_id, workflow_id, workflow_key, status, current_node_id, last_sequence, owner, inputs, variables, configurable, tags, metadata, error, replace(state, %(interrupt)s, tenant_id || '/i-' || %(batch)s || lpad(n::text, 28, '0')), scope_id, dedup_scope, callback_url, tree, depth, ends_with_parent, parent_node_id, created_at, completed_at
FROM interrupts_run, generate_series(1, %(count)s) AS n WHERE id = %(run)s;
INSERT INTO interrupts_runevent (run_id, sequence, event_id, type, node_id, payload, at)
SELECT split_part(run_id, '/', 1) || '/r-' || %(batch)s || lpad(n::text, 28, '0'), sequence, 'e-' || replace(gen_random_uuid()::text, '-', ''), type, node_id, replace(payload, %(interrupt)s, split_part(run_id, '/', 1) || '/i-' || %(batch)s || lpad(n::text, 28, '0')), at
FROM interrupts_runevent, generate_series(1, %(count)s) AS n WHERE run_id = %(run)s;
INSERT INTO interrupts_suspension (id, tenant_id, run_id, node_id, kind, key, title, payload, resume_schema, opened_at, deadline, outcome, resolution, resolved_at)
SELECT tenant_id || '/i-' || %(batch)s || lpad(n::text, 28, '0'), tenant_id, tenant_id || '/r-' || %(batch)s || lpad(n::text, 28, '0'), node_id, kind, key, title, payload, resume_schema, opened_at, %(due)s + n * %(apart)s * interval '1 millisecond', NULL, NULL, NULL
FROM interrupts_suspension, generate_series(1, %(count)s) AS n WHERE id = %(interrupt)s;
INSERT INTO approvals_gateapprover (suspension_id, ref_id)
SELECT split_part(suspension_id, '/', 1) || '/i-' || %(batch)s || lpad(n::text, 28, '0'), ref_id FROM approvals_gateapprover, generate_series(1, %(count)s) AS n WHERE suspension_id = %(interrupt)s;
INSERT INTO interrupts_timer (run_id, node_id, purpose, ordinal, due_at)
SELECT run_id, node_id, 'deadline', 0, deadline FROM interrupts_suspension
WHERE run_id LIKE split_part(%(run)s, '/', 1) || '/r-' || %(batch)s || '%%';
