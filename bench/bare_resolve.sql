-- The rows that deciding one gate reads and writes, as one bare transaction.
BEGIN;
SELECT s.id AS interrupt, s.run_id AS run, r.last_sequence AS last FROM interrupts_suspension s JOIN interrupts_run r ON r.id = s.run_id
WHERE s.tenant_id = 'bench' AND s.outcome IS NULL ORDER BY s.deadline, s.opened_at, s.id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
INSERT INTO approvals_vote (suspension_id, voter, actor, action, answer, via, on_behalf_of, override, cast_at)
VALUES (:interrupt, 'u-bench', 'u-bench', 'accept', '{}', 'anyone', '', false, now());
UPDATE interrupts_suspension SET outcome = 'resolved', resolution = :payload, resolved_at = now() WHERE id = :interrupt AND outcome IS NULL;
INSERT INTO interrupts_runevent (run_id, sequence, event_id, type, node_id, payload, at)
SELECT :run, :last + s, 'e-' || replace(gen_random_uuid()::text, '-', ''), 'node.completed', 'gate', :payload, now() FROM generate_series(1, 4) AS s;
UPDATE interrupts_run SET status = 'completed', current_node_id = '', last_sequence = :last + 4, state = :payload, completed_at = now() WHERE id = :run;
COMMIT;
