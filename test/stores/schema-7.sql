PRAGMA foreign_keys = OFF;
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- Who did it: "owner", "program", "agent:backend", "iris".
  actor TEXT NOT NULL,
  -- What: "permission.answered", "from.mismatch", "config.changed", …
  action TEXT NOT NULL,
  -- On what: a session, a turn, a team, a path.
  subject TEXT NOT NULL,
  decision TEXT,
  input_hash TEXT,
  -- JSON, redacted.
  detail TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE compactions (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES team_sessions (id),
  at INTEGER NOT NULL,
  before_tokens INTEGER,
  after_tokens INTEGER,
  -- NULL: it worked.
  failure TEXT
) STRICT;
CREATE TABLE later_deliveries (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  uuid TEXT NOT NULL UNIQUE,
  committed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  text TEXT NOT NULL,
  left_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The turn it went with.
  turn TEXT REFERENCES turns (id),
  idempotency_key TEXT UNIQUE
) STRICT;
CREATE TABLE open_agents (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  -- The telling part of its input, short and without secrets.
  description TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (turn, tool_use_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE permission_grants (
  id INTEGER PRIMARY KEY,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  -- Null: for the pair.
  session INTEGER REFERENCES team_sessions (id),
  decision TEXT NOT NULL CHECK (decision IN ('allow', 'deny')),
  -- In the syntax of Claude Code.
  rule TEXT NOT NULL,
  -- The question it was the answer to.
  permission TEXT NOT NULL REFERENCES permissions (id),
  granted_at INTEGER NOT NULL
) STRICT;
CREATE TABLE permissions (
  id TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES team_sessions (id),
  -- The id of the process start that asks.
  process_start TEXT NOT NULL,
  turn TEXT REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  input TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  -- JSON: Claude's own offers of rules.
  suggestions TEXT NOT NULL,
  blocked_path TEXT,
  directory TEXT NOT NULL,
  -- JSON: who really asked, from the first asker to the team whose tool it is.
  chain TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'allowed', 'denied', 'timed_out', 'ended')),
  decided_by TEXT,
  decided_at INTEGER,
  scope TEXT,
  -- JSON: what the tool ran with, where that is something else.
  updated_input TEXT,
  -- What the agent was told.
  message TEXT
) STRICT;
CREATE TABLE processes (
  session INTEGER PRIMARY KEY REFERENCES team_sessions (id)
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
, origin TEXT NOT NULL DEFAULT 'new'
  CHECK (origin IN ('new', 'reset', 'fork', 'rotation', 'taken_over', 'adopted', 'rebuilt')), origin_session TEXT, origin_message TEXT, context_tokens INTEGER, context_window INTEGER, summary TEXT, dormant INTEGER NOT NULL DEFAULT 0, transcript_missing_since INTEGER, model TEXT, cost_usd REAL NOT NULL DEFAULT 0) STRICT;
CREATE TABLE tool_starts (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  name TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL, ended_at INTEGER, is_error INTEGER, input_short TEXT NOT NULL DEFAULT '', within TEXT,
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
, budget TEXT, ending TEXT, first_at INTEGER, background TEXT) STRICT;
INSERT INTO audit (sequence, at, actor, action, subject, decision, input_hash, detail, previous_hash, hash) VALUES (1, 1763800000000, 'iris', 'daemon.started', 'iris', NULL, NULL, '{"pid":1}', '0000000000000000000000000000000000000000000000000000000000000000', 'dccb73e493a7f798169420c98f030cc5cf3d197e27da8495a2a5cd70817f8b8d');
INSERT INTO audit (sequence, at, actor, action, subject, decision, input_hash, detail, previous_hash, hash) VALUES (2, 1763800103000, 'owner', 'permission.answered', 'frontend→backend', 'allow', '9178ac939ad908d8fd89e97596cdc0e5e28dee903ccb18dc79d0fb98698cbd14', '{"team":"backend"}', 'dccb73e493a7f798169420c98f030cc5cf3d197e27da8495a2a5cd70817f8b8d', '330477f5716bbbf3f9832730ee4ad9d76cc9fe15f28f608898e53bc68fb2e356');
INSERT INTO compactions (id, session, at, before_tokens, after_tokens, failure) VALUES (1, 1, 1763800200000, 150000, 12000, NULL);
INSERT INTO compactions (id, session, at, before_tokens, after_tokens, failure) VALUES (2, 1, 1763800500000, 150000, NULL, 'the process ended');
INSERT INTO later_deliveries (sequence, turn, uuid, committed_at) VALUES (1, 'aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000001', 1763800105000);
INSERT INTO notices (id, from_team, to_team, thread, text, left_at, expires_at, turn, idempotency_key) VALUES (1, 'frontend', 'backend', 'main', 'The form is renamed.', 1763800000000, 4919000000000, 'aaaaaaaa-0000-4000-8000-000000000001', 'n-1');
INSERT INTO notices (id, from_team, to_team, thread, text, left_at, expires_at, turn, idempotency_key) VALUES (2, 'mobile', 'backend', 'main', 'Version 3 is out.', 1763800600000, 4919000000000, NULL, NULL);
INSERT INTO open_agents (turn, tool_use_id, delivery, description, opened_at) VALUES ('aaaaaaaa-0000-4000-8000-000000000005', 'toolu_agent', 'aaaaaaaa-0000-4000-8000-000000000005', 'looks it up', 1763800902000);
INSERT INTO permission_grants (id, from_team, to_team, session, decision, rule, permission, granted_at) VALUES (1, 'frontend', 'backend', NULL, 'allow', 'Bash(npm test)', 'cccccccc-0000-4000-8000-000000000001', 1763800103000);
INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions, blocked_path, directory, chain, asked_at, deadline, state, decided_by, decided_at, scope, updated_input, message) VALUES ('cccccccc-0000-4000-8000-000000000001', 1, 'dddddddd-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000001', 'toolu_bash', 'Bash', '{"command":"npm test"}', '9178ac939ad908d8fd89e97596cdc0e5e28dee903ccb18dc79d0fb98698cbd14', '[]', NULL, '/projects/backend', '["frontend","backend"]', 1763800102000, 1763800402000, 'allowed', 'owner', 1763800103000, 'pair', NULL, NULL);
INSERT INTO processes (session) VALUES (1);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why, origin, origin_session, origin_message, context_tokens, context_window, summary, dormant, transcript_missing_since, model, cost_usd) VALUES (1, 'frontend', 'backend', 'main', '11111111-1111-4111-8111-111111111111', 1763800000000, 1763800900000, 3, 'active', 'stopped', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'new', NULL, NULL, 12000, 200000, 'Fields of orders.', 0, NULL, NULL, 0.26);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why, origin, origin_session, origin_message, context_tokens, context_window, summary, dormant, transcript_missing_since, model, cost_usd) VALUES (2, 'external', 'backend', 'main', '22222222-2222-4222-8222-222222222222', 1763800100000, 1763800200000, 1, 'active', 'stopped', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'new', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0.0);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why, origin, origin_session, origin_message, context_tokens, context_window, summary, dormant, transcript_missing_since, model, cost_usd) VALUES (3, 'backend', 'mobile', 'main', '33333333-3333-4333-8333-333333333333', 1763700000000, 1763700500000, 2, 'archived', 'stopped', NULL, NULL, NULL, NULL, NULL, 1763700500000, 'archived by upstream Iris', 'new', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0.0);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why, origin, origin_session, origin_message, context_tokens, context_window, summary, dormant, transcript_missing_since, model, cost_usd) VALUES (4, 'frontend', 'backend', 'review', '44444444-4444-4444-8444-444444444444', 1763800300000, 1763800400000, 1, 'active', 'stopped', NULL, 1763800400000, NULL, NULL, 'aaaaaaaa-0000-4000-8000-000000000004', NULL, NULL, 'new', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0.0);
INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, message_count, status, process_state, current_cache_session_id, last_response_at, launch_command, team_config_snapshot, last_answered_delivery, archived_at, archived_why, origin, origin_session, origin_message, context_tokens, context_window, summary, dormant, transcript_missing_since, model, cost_usd) VALUES (5, 'mobile', 'backend', 'main', '55555555-5555-4555-8555-555555555555', 1763600000000, 1763600100000, 0, 'archived', 'stopped', NULL, NULL, NULL, NULL, NULL, 1763700000000, 'nobody used it', 'rotation', '66666666-6666-4666-8666-666666666666', NULL, NULL, NULL, NULL, 1, NULL, 'sonnet', 0.0);
INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at, ended_at, is_error, input_short, within) VALUES ('aaaaaaaa-0000-4000-8000-000000000001', 'toolu_ask', 'aaaaaaaa-0000-4000-8000-000000000001', 'mcp__iris__send_message', '4f4851966daadb8039b55521ab372587b169ca4fedc9d7986aea6c3afc2f2061', 1763800101000, 1763800104000, 0, 'mobile', 'toolu_agent');
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at, budget, ending, first_at, background) VALUES (1, 'aaaaaaaa-0000-4000-8000-000000000001', 1, 'Which fields has an order?', NULL, NULL, 0, 1, 'key-1', 'settled', 'completed', NULL, NULL, 'An order has an id, a customer and lines. It''s in "orders.ts".', NULL, '{"inputTokens":3,"outputTokens":40,"cacheReadTokens":900,"cacheWriteTokens":20,"costUsd":0.01}', NULL, 1763800100000, 1763800100100, 1763800100200, 1763800110000, '{"maxTurns":20,"maxCostUsd":1}', NULL, 1763800100050, '[{"command":"npm run watch","since":1763800105000}]');
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at, budget, ending, first_at, background) VALUES (2, 'aaaaaaaa-0000-4000-8000-000000000002', 3, 'Does the app show orders?', 'aaaaaaaa-0000-4000-8000-000000000001', 'toolu_ask', 1, 1, NULL, 'settled', 'completed', NULL, NULL, 'Yes: ✓ 注文', NULL, NULL, NULL, 1763700100000, 1763700100100, 1763700100200, 1763700110000, NULL, NULL, NULL, NULL);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at, budget, ending, first_at, background) VALUES (3, 'aaaaaaaa-0000-4000-8000-000000000003', 2, 'Wait for it.', NULL, NULL, 0, 0, NULL, 'settled', 'timed_out', 'hung', 'No sign of life.', NULL, 'So far', NULL, NULL, 1763800150000, 1763800150100, NULL, 1763800200000, NULL, NULL, NULL, NULL);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at, budget, ending, first_at, background) VALUES (4, 'aaaaaaaa-0000-4000-8000-000000000004', 4, 'Review it.', NULL, NULL, 0, 1, NULL, 'settled', 'completed', NULL, NULL, 'Done.', NULL, NULL, NULL, 1763800300000, 1763800300100, 1763800300200, 1763800400000, NULL, NULL, NULL, NULL);
INSERT INTO turns (sequence, id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, outcome, reason, detail, answer, partial, usage, context_reset, accepted_at, dispatched_at, started_at, settled_at, budget, ending, first_at, background) VALUES (5, 'aaaaaaaa-0000-4000-8000-000000000005', 1, 'And which has a customer?', NULL, NULL, 0, 1, NULL, 'dispatched', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1763800900000, 1763800901000, NULL, NULL, NULL, NULL, NULL, NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('team_sessions', 5);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE INDEX compactions_of_session ON compactions (session, at);
CREATE VIEW deliveries AS
  SELECT 0 AS sequence, id AS uuid, id AS turn, 'first' AS why, dispatched_at AS committed_at
    FROM turns WHERE dispatched_at IS NOT NULL
  UNION ALL
  SELECT sequence, uuid, turn, 'continue', committed_at FROM later_deliveries;
CREATE INDEX later_deliveries_of_turn ON later_deliveries (turn);
CREATE INDEX notices_of_pair ON notices (to_team, from_team, thread, turn);
CREATE INDEX notices_of_turn ON notices (turn) WHERE turn IS NOT NULL;
CREATE UNIQUE INDEX one_dormant_session ON team_sessions (from_team, to_team, thread) WHERE dormant = 1;
CREATE UNIQUE INDEX one_live_session ON team_sessions (from_team, to_team, thread) WHERE status <> 'archived';
CREATE INDEX permission_grants_of_pair ON permission_grants (from_team, to_team);
CREATE INDEX permissions_of_session ON permissions (session);
CREATE INDEX permissions_of_turn ON permissions (turn) WHERE turn IS NOT NULL;
CREATE INDEX permissions_pending ON permissions (asked_at) WHERE state = 'pending';
CREATE INDEX sessions_by_use ON team_sessions (last_used_at);
CREATE INDEX sessions_of_pair ON team_sessions (from_team, to_team, thread);
CREATE INDEX sessions_of_team ON team_sessions (to_team, last_used_at) WHERE status <> 'archived';
CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX turns_of_parent ON turns (parent_turn) WHERE parent_turn IS NOT NULL;
CREATE INDEX turns_of_session ON turns (session, sequence);
CREATE INDEX turns_unsettled ON turns (sequence) WHERE state <> 'settled';
PRAGMA user_version = 7;
