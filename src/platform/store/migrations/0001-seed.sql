-- The table as seed 001 draws it. IF NOT EXISTS: a store left by upstream Iris (either seed's form) is taken over by the
-- next migration, which reads only the columns both forms have.
CREATE TABLE IF NOT EXISTS team_sessions (
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
