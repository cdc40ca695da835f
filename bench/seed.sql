-- Open gates by the thousand, half of them for one group, so that the inbox has something to sort.
INSERT INTO interrupts_run (id, tenant_id, workflow_id, workflow_key, status, current_node_id, last_sequence, owner, inputs, variables, configurable, tags, metadata, error, state, scope_id, dedup_scope, callback_url, tree, depth, ends_with_parent, parent_node_id, created_at, completed_at)
SELECT 'inbox/r-' || lpad(n::text, 32, '0'), 'inbox', %(workflow)s, 'bench', 'waiting-approval', 'gate', 3, %(owner)s, '{}', '{}', NULL, '[]', NULL, NULL, '{}', '', NULL, '', '', 0, false, '', now() - n * interval '1 second', NULL
FROM generate_series(%(first)s, %(last)s) AS n;
INSERT INTO interrupts_suspension (id, tenant_id, run_id, node_id, kind, key, title, payload, resume_schema, opened_at, deadline, outcome, resolution, resolved_at)
SELECT 'inbox/i-' || lpad(n::text, 32, '0'), 'inbox', 'inbox/r-' || lpad(n::text, 32, '0'), 'gate', 'approval', 'k' || n, 'Bench gate ' || n, %(payload)s, NULL, now() - n * interval '1 second',
       CASE WHEN n %% 3 = 0 THEN now() + n * interval '1 minute' END, NULL, NULL, NULL
FROM generate_series(%(first)s, %(last)s) AS n;
INSERT INTO approvals_gateapprover (suspension_id, ref_id)
SELECT 'inbox/i-' || lpad(n::text, 32, '0'), CASE WHEN n %% 2 = 0 THEN %(mine)s ELSE %(others)s END FROM generate_series(%(first)s, %(last)s) AS n;
