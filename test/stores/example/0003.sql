-- A conversation that was compacted, one that came out of it by rotation, and notices: one delivered, one waiting.
INSERT INTO compactions (session, at, before_tokens, after_tokens, failure) VALUES
  (1, 1763800200000, 150000, 12000, NULL),
  (1, 1763800500000, 150000, NULL, 'the process ended');
UPDATE team_sessions SET context_tokens = 12000, context_window = 200000, summary = 'Fields of orders.' WHERE id = 1;
INSERT INTO team_sessions (
  from_team, to_team, thread, session_id, created_at, last_used_at, status, archived_at, archived_why, origin, origin_session,
  dormant, model
) VALUES (
  'mobile', 'backend', 'main', '55555555-5555-4555-8555-555555555555', 1763600000000, 1763600100000, 'archived', 1763700000000,
  'nobody used it', 'rotation', '66666666-6666-4666-8666-666666666666', 1, 'sonnet'
);
INSERT INTO processes (session) VALUES (1);
INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at, turn, idempotency_key) VALUES
  ('frontend', 'backend', 'main', 'The form is renamed.', 1763800000000, 4919000000000, 'aaaaaaaa-0000-4000-8000-000000000001', 'n-1'),
  ('mobile', 'backend', 'main', 'Version 3 is out.', 1763800600000, 4919000000000, NULL, NULL);
