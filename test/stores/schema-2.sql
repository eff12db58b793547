PRAGMA foreign_keys = OFF;
CREATE TABLE later_deliveries (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  uuid TEXT NOT NULL UNIQUE,
  committed_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE tool_starts (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  name TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  PRIMARY KEY (turn, tool_use_id)
) STRICT, WITHOUT ROWID;
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
INSERT INTO later_deliveries (sequence, turn, uuid, committed_at) VALUES (1, 'aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000001', 1763800105000);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why) VALUES (1, 'frontend', 'backend', 'main', '11111111-1111-4111-8111-111111111111', 1763800000000, 1763800900000, 3, 'active', 'stopped', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why) VALUES (2, 'external', 'backend', 'main', '22222222-2222-4222-8222-222222222222', 1763800100000, 1763800200000, 1, 'active', 'stopped', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why) VALUES (3, 'backend', 'mobile', 'main', '33333333-3333-4333-8333-333333333333', 1763700000000, 1763700500000, 2, 'archived', 'stopped', NULL, NULL, NULL, NULL, NULL, 1763700500000, 'archived by upstream Iris');
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why) VALUES (4, 'frontend', 'backend', 'review', '44444444-4444-4444-8444-444444444444', 1763800300000, 1763800400000, 1, 'active', 'stopped', NULL, 1763800400000, NULL, NULL, 'aaaaaaaa-0000-4000-8000-000000000004', NULL, NULL);
INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at) VALUES ('aaaaaaaa-0000-4000-8000-000000000001', 'toolu_ask', 'aaaaaaaa-0000-4000-8000-000000000001', 'mcp__iris__send_message', '4f4851966daadb8039b55521ab372587b169ca4fedc9d7986aea6c3afc2f2061', 1763800101000);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at) VALUES (1, 'aaaaaaaa-0000-4000-8000-000000000001', 1, 'Which fields has an order?', NULL, NULL, 0, 1, 'key-1', 'settled', 'completed', NULL, NULL, 'An order has an id, a customer and lines. It''s in "orders.ts".', NULL, '{"inputTokens":3,"outputTokens":40,"cacheReadTokens":900,"cacheWriteTokens":20,"costUsd":0.01}', NULL, 1763800100000, 1763800100100, 1763800100200, 1763800110000);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at) VALUES (2, 'aaaaaaaa-0000-4000-8000-000000000002', 3, 'Does the app show orders?', 'aaaaaaaa-0000-4000-8000-000000000001', 'toolu_ask', 1, 1, NULL, 'settled', 'completed', NULL, NULL, 'Yes: ✓ 注文', NULL, NULL, NULL, 1763700100000, 1763700100100, 1763700100200, 1763700110000);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at) VALUES (3, 'aaaaaaaa-0000-4000-8000-000000000003', 2, 'Wait for it.', NULL, NULL, 0, 0, NULL, 'settled', 'timed_out', 'hung', 'No sign of life.', NULL, 'So far', NULL, NULL, 1763800150000, 1763800150100, NULL, 1763800200000);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at) VALUES (4, 'aaaaaaaa-0000-4000-8000-000000000004', 4, 'Review it.', NULL, NULL, 0, 1, NULL, 'settled', 'completed', NULL, NULL, 'Done.', NULL, NULL, NULL, 1763800300000, 1763800300100, 1763800300200, 1763800400000);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at) VALUES (5, 'aaaaaaaa-0000-4000-8000-000000000005', 1, 'And which has a customer?', NULL, NULL, 0, 1, NULL, 'accepted', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1763800900000, NULL, NULL, NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('team_sessions', 4);
CREATE VIEW deliveries AS
  SELECT 0 AS sequence, id AS uuid, id AS turn, 'first' AS why, dispatched_at AS committed_at
    FROM turns WHERE dispatched_at IS NOT NULL
  UNION ALL
  SELECT sequence, uuid, turn, 'continue', committed_at FROM later_deliveries;
CREATE INDEX later_deliveries_of_turn ON later_deliveries (turn);
CREATE UNIQUE INDEX one_live_session ON team_sessions (from_team, to_team, thread) WHERE status <> 'archived';
CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX turns_of_parent ON turns (parent_turn) WHERE parent_turn IS NOT NULL;
CREATE INDEX turns_unsettled ON turns (sequence) WHERE state <> 'settled';
PRAGMA user_version = 2;
