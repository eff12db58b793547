ALTER TABLE team_sessions RENAME TO seed_team_sessions;
DROP INDEX IF EXISTS idx_team_sessions_from_to;
DROP INDEX IF EXISTS idx_team_sessions_session_id;
DROP INDEX IF EXISTS idx_team_sessions_status;

-- One row a conversation. Times are milliseconds since the epoch.
CREATE TABLE team_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL DEFAULT 'main',
  session_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'compact_pending', 'archived')),
  -- A mirror for readers; nothing is decided from it after a restart.
  process_state TEXT NOT NULL DEFAULT 'stopped',
  -- The running turn.
  current_cache_session_id TEXT,
  last_response_at INTEGER,
  launch_command TEXT,
  team_config_snapshot TEXT,
  -- The delivery Claude answered last: a transcript without it has lost part of the conversation.
  last_answered_delivery TEXT,
  archived_at INTEGER,
  archived_why TEXT
) STRICT;

-- One live conversation a pair and thread; archived ones stand beside it.
CREATE UNIQUE INDEX one_live_session ON team_sessions (from_team, to_team, thread) WHERE status <> 'archived';

-- Seed 000 allowed NULL for an outside caller, and a NULL defeats UNIQUE: of several such rows the last used one lives on.
INSERT INTO team_sessions (
  id, from_team, to_team, session_id, created_at, last_used_at, message_count, status, archived_at, archived_why
)
SELECT
  id, COALESCE(from_team, 'external'), to_team, session_id, created_at, last_used_at, COALESCE(message_count, 0),
  CASE WHEN status = 'archived' OR rank > 1 THEN 'archived' ELSE 'active' END,
  CASE WHEN status = 'archived' OR rank > 1 THEN last_used_at END,
  CASE WHEN status = 'archived' THEN 'archived by upstream Iris' WHEN rank > 1 THEN 'a later session of the same pair' END
FROM (
  SELECT
    *,
    ROW_NUMBER() OVER (
      PARTITION BY COALESCE(from_team, 'external'), to_team
      ORDER BY status = 'archived', last_used_at DESC, id DESC
    ) AS rank
  FROM seed_team_sessions
);
DROP TABLE seed_team_sessions;

-- The ledger: a message is a row here before it is a byte.
CREATE TABLE turns (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES team_sessions (id),
  message TEXT NOT NULL,
  -- The turn whose agent asked, and the tool use it asked with.
  parent_turn TEXT REFERENCES turns (id),
  parent_tool_use TEXT,
  hop INTEGER NOT NULL,
  -- 1 while the asker waits for it: its cancellation reaches this turn, its continuation needs this answer.
  awaited INTEGER NOT NULL,
  idempotency_key TEXT,
  state TEXT NOT NULL CHECK (state IN ('accepted', 'dispatched', 'settled')),
  outcome TEXT,
  reason TEXT,
  detail TEXT,
  answer TEXT,
  partial TEXT,
  usage TEXT,
  context_reset TEXT,
  accepted_at INTEGER NOT NULL,
  dispatched_at INTEGER,
  started_at INTEGER,
  settled_at INTEGER
) STRICT;
CREATE INDEX turns_unsettled ON turns (sequence) WHERE state <> 'settled';
CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX turns_of_parent ON turns (parent_turn) WHERE parent_turn IS NOT NULL;

-- What was given to Claude after the first time, under which uuid, committed before it is written. The first delivery is
-- the turn's own row: its uuid is the turn's id, and dispatched_at says when.
CREATE TABLE later_deliveries (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  uuid TEXT NOT NULL UNIQUE,
  committed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX later_deliveries_of_turn ON later_deliveries (turn);
CREATE VIEW deliveries AS
  SELECT 0 AS sequence, id AS uuid, id AS turn, 'first' AS why, dispatched_at AS committed_at
    FROM turns WHERE dispatched_at IS NOT NULL
  UNION ALL
  SELECT sequence, uuid, turn, 'continue', committed_at FROM later_deliveries;

-- The fence: committed before the tool may run.
CREATE TABLE tool_starts (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  name TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  PRIMARY KEY (turn, tool_use_id)
) STRICT, WITHOUT ROWID;
