PRAGMA foreign_keys = OFF;
CREATE TABLE team_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  session_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  message_count INTEGER DEFAULT 0,
  status TEXT DEFAULT 'active',
  process_state TEXT DEFAULT 'stopped',
  current_cache_session_id TEXT,
  last_response_at INTEGER,
  launch_command TEXT,
  team_config_snapshot TEXT,
  UNIQUE (from_team, to_team)
);
INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot) VALUES (1, 'frontend', 'backend', '11111111-1111-4111-8111-111111111111', 1763800000000, 1763800900000, 3, 'active', 'stopped', NULL, NULL, NULL, NULL);
INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot) VALUES (2, 'external', 'backend', '22222222-2222-4222-8222-222222222222', 1763800100000, 1763800200000, 1, 'active', 'stopped', NULL, NULL, NULL, NULL);
INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot) VALUES (3, 'backend', 'mobile', '33333333-3333-4333-8333-333333333333', 1763700000000, 1763700500000, 2, 'archived', 'stopped', NULL, NULL, NULL, NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('team_sessions', 3);
PRAGMA user_version = 1;
