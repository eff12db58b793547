-- The failure that was put aside is done, and its conversation is pinned.
INSERT INTO inbox (subject, session, state, since, until, pinned)
SELECT 'failed:aaaaaaaa-0000-4000-8000-000000000003', session, 'done', 1763800200000, NULL, 0
FROM turns WHERE id = 'aaaaaaaa-0000-4000-8000-000000000003';
INSERT INTO inbox (subject, session, state, since, until, pinned)
SELECT 'conversation:' || session_id, id, 'new', 1763800200000, NULL, 1 FROM team_sessions LIMIT 1;
