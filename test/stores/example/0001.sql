INSERT INTO team_sessions (from_team, to_team, session_id, created_at, last_used_at, message_count) VALUES
  ('frontend', 'backend', '11111111-1111-4111-8111-111111111111', 1763800000000, 1763800900000, 3),
  ('external', 'backend', '22222222-2222-4222-8222-222222222222', 1763800100000, 1763800200000, 1);
INSERT INTO team_sessions (from_team, to_team, session_id, created_at, last_used_at, message_count, status) VALUES
  ('backend', 'mobile', '33333333-3333-4333-8333-333333333333', 1763700000000, 1763700500000, 2, 'archived');
