-- The rows that a passed deadline reads and writes, as one bare transaction.
BEGIN;
SELECT t.id AS timer, t.run_id AS run, s.id AS interrupt, r.last_sequence AS last
FROM interrupts_timer t JOIN interrupts_run r ON r.id = t.run_id JOIN interrupts_suspension s ON s.run_id = r.id
WHERE t.due_at > now() + interval '1 day' ORDER BY t.due_at, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED \gset
DELETE FROM interrupts_timer WHERE id = :timer;
UPDATE interrupts_suspension SET outcome = 'timed-out', resolution = :payload, resolved_at = now() WHERE id = :interrupt AND outcome IS NULL;
INSERT INTO interrupts_runevent (run_id, sequence, event_id, type, node_id, payload, at)
SELECT :run, :last + s, 'e-' || replace(gen_random_uuid()::text, '-', ''), 'node.failed', 'gate', :payload, now() FROM generate_series(1, 3) AS s;
UPDATE interrupts_run SET status = 'failed', current_node_id = '', last_sequence = :last + 3, state = :payload, completed_at = now() WHERE id = :run;
COMMIT;
