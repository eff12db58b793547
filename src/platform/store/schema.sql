-- Written by "npm run generate" from the migrations.

CREATE TABLE account_limits (
  account TEXT PRIMARY KEY,
  -- Which limit it is over, and until when, JSON; NULL: none.
  limited TEXT,
  -- The windows that the API reported last, JSON.
  windows TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- When a message was first answered with its login; NULL: never.
  worked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_files (
  turn TEXT NOT NULL REFERENCES turns (id),
  -- Below the project's directory.
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  -- When Iris found that it holds something else now; NULL: it holds the same.
  changed_at INTEGER,
  -- The commit that changed it, and its author; NULL: none that is known.
  commit_id TEXT,
  author TEXT,
  PRIMARY KEY (turn, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_states (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  -- The commit that was checked out; NULL: none was.
  head TEXT,
  noted_at INTEGER NOT NULL,
  -- When its asker got to know that a file has changed since.
  reported_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE attachment_contents (
  sha256 TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT;

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

CREATE TABLE callback_cursors (
  callback TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  off_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE callback_deliveries (
  callback TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  turn TEXT NOT NULL,
  question TEXT,
  tries INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  next_at INTEGER,
  problem TEXT NOT NULL,
  PRIMARY KEY (callback, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE cancelled_schedules (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_cursors (
  source TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  -- When it was first connected: what was written before is nobody's question.
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_files (
  post INTEGER PRIMARY KEY REFERENCES channel_posts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content BLOB NOT NULL,
  -- The platform's id of a content that it has and shows to nobody yet.
  upload TEXT
) STRICT;

CREATE TABLE "channel_messages" (
  source TEXT NOT NULL,
  update_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  sender TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  text TEXT,
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'handled', 'skipped', 'refused')),
  turn TEXT,
  note TEXT, last_change INTEGER,
  PRIMARY KEY (source, update_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_moves (
  source TEXT NOT NULL,
  old_id TEXT NOT NULL,
  new_id TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  PRIMARY KEY (source, old_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_people (
  source TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The channel where the code was shown.
  chat TEXT NOT NULL,
  -- NULL: allowed.
  code TEXT,
  since INTEGER NOT NULL,
  PRIMARY KEY (source, sender)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_posts (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  chat TEXT NOT NULL,
  turn TEXT,
  place INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  text TEXT,
  reply_to TEXT,
  -- `sending` is committed before the platform is asked: what is found so after a crash may have been posted.
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'reserved', 'posted', 'in_doubt', 'failed')),
  platform_id TEXT,
  problem TEXT,
  created_at INTEGER NOT NULL, permission TEXT, input_hash TEXT, token TEXT, mode TEXT CHECK (mode IN ('ask', 'forward')), can_allow INTEGER NOT NULL DEFAULT 0 CHECK (can_allow IN (0, 1)), outcome TEXT, aside INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1)),
  UNIQUE (place, piece)
) STRICT;

CREATE TABLE channel_refusals (
  source TEXT NOT NULL,
  chat TEXT NOT NULL,
  sender TEXT NOT NULL,
  messages INTEGER NOT NULL,
  refused_at INTEGER NOT NULL, updates TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (source, chat, sender)
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_asked (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL,
  host TEXT NOT NULL,
  UNIQUE (turn, host)
) STRICT;

CREATE TABLE cluster_asks (
  turn TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  chain TEXT NOT NULL,
  refusal TEXT,
  answered INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_begun (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  log TEXT,
  record INTEGER,
  heard INTEGER NOT NULL DEFAULT 0,
  waits_since INTEGER
) STRICT;

CREATE TABLE cluster_cancels (
  turn TEXT NOT NULL,
  host TEXT NOT NULL,
  detail TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (turn, host)
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_count (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  most INTEGER NOT NULL
) STRICT;

CREATE TABLE cluster_hosts (
  name TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  entry TEXT NOT NULL,
  seen_at INTEGER NOT NULL
, count INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_logs (
  team TEXT NOT NULL,
  conversation TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (team, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_members (
  team TEXT NOT NULL,
  host TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (team, host)
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_moves (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('taken', 'lost', 'sent')),
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  former_host TEXT NOT NULL,
  host TEXT NOT NULL
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

CREATE TABLE dismissed_failures (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  dismissed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE file_collisions (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  turn TEXT NOT NULL,
  other_turn TEXT NOT NULL,
  path TEXT NOT NULL
) STRICT;

CREATE TABLE healings (
  id INTEGER PRIMARY KEY,
  fault TEXT NOT NULL,
  subject TEXT NOT NULL,
  found TEXT NOT NULL,
  action TEXT NOT NULL,
  undo TEXT,
  found_at INTEGER NOT NULL,
  healed_at INTEGER
) STRICT;

CREATE TABLE inbox (
  subject TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES team_sessions (id),
  state TEXT NOT NULL CHECK (state IN ('new', 'opened', 'done', 'later')),
  since INTEGER NOT NULL,
  until INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  sequence INTEGER PRIMARY KEY,
  at INTEGER,
  type TEXT,
  turn TEXT,
  question TEXT
);

CREATE TABLE journal_epochs (
  sequence INTEGER PRIMARY KEY,
  id TEXT,
  first INTEGER
);

CREATE TABLE kept_answers (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  -- SHA-256 of the question, the conversation, the settings and the rights of the asker.
  key TEXT NOT NULL,
  head TEXT,
  -- JSON: [name, hash] of each file on which the answer relies.
  files TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  given INTEGER NOT NULL DEFAULT 0,
  given_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_processes (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  -- The process that was ended instead.
  ended_from TEXT NOT NULL,
  ended_to TEXT NOT NULL,
  -- The first message that the process got afterwards; NULL: none so far.
  turn TEXT,
  used_at INTEGER,
  -- Milliseconds that this message did not wait for a start.
  saved_ms INTEGER
) STRICT;

CREATE TABLE "late_answers" (
  turn TEXT NOT NULL REFERENCES turns (id),
  -- The session that asked, as its bridge names it.
  console TEXT NOT NULL,
  owed_at INTEGER NOT NULL,
  -- When it was handed to the inbox of that session, which acknowledges nothing.
  pushed_at INTEGER,
  -- When the result of another call said that it waits.
  announced_at INTEGER,
  -- When that session fetched it, or quoted its turn.
  read_at INTEGER,
  PRIMARY KEY (turn, console)
) STRICT, WITHOUT ROWID;

CREATE TABLE later_deliveries (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  uuid TEXT NOT NULL UNIQUE,
  committed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE live_asks (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  console TEXT,
  let_in_at INTEGER,
  noticed_at INTEGER,
  pushed_at INTEGER,
  answer TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE model_changes (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  -- The model that answered, and the one that the conversation has.
  model TEXT NOT NULL,
  configured TEXT NOT NULL,
  -- What Claude Code says about the change; NULL: nothing.
  why TEXT
) WITHOUT ROWID;

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

CREATE TABLE overtaken_turns (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  turn TEXT NOT NULL,
  overtaken TEXT NOT NULL
) STRICT;

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
, why TEXT) STRICT;

CREATE TABLE processes (
  session INTEGER PRIMARY KEY REFERENCES team_sessions (id)
) STRICT;

CREATE TABLE reflection_runs (
  at INTEGER PRIMARY KEY,
  asks INTEGER NOT NULL,
  suggestions INTEGER NOT NULL
) STRICT;

CREATE TABLE report_tools (
  tool_use_id TEXT PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  name TEXT NOT NULL,
  input_short TEXT NOT NULL,
  started_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE reports (
  sequence INTEGER PRIMARY KEY,
  -- The turn that started the command.
  turn TEXT NOT NULL REFERENCES turns (id),
  -- Of the line of Claude Code, or the id of the background task.
  uuid TEXT NOT NULL,
  -- What the agent said; with the kind `ended`, the command that ended with its process.
  text TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('said', 'ended')),
  -- JSON; NULL: it is part of the result of a message.
  usage TEXT,
  -- 1: the usage is part of the turn's.
  counted INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds since the epoch.
  reported_at INTEGER NOT NULL,
  -- When its asker got it with another answer or by message_status; NULL: not yet.
  read_at INTEGER,
  UNIQUE (turn, uuid)
);

CREATE TABLE retries (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  failed TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  -- What is sent, JSON: the pair, the message and its conditions.
  ask TEXT NOT NULL,
  -- When, JSON: by the wall clock of a time zone.
  plan TEXT NOT NULL,
  -- NULL: it is over, but its only time was refused.
  next_at INTEGER,
  created_at INTEGER NOT NULL,
  -- The turn of its last time. NULL: none yet.
  last_turn TEXT,
  -- Why its last time was refused or left out. NULL: it was sent.
  problem TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE shared_budgets (
  id TEXT PRIMARY KEY,
  budget TEXT NOT NULL,
  accepted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE steers (
  uuid TEXT PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  message TEXT NOT NULL,
  idempotency_key TEXT UNIQUE,
  joined_at INTEGER NOT NULL
, sender TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE suggestions (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('claude-md', 'rule')),
  -- The question, or the tool.
  subject TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('applied', 'refused')),
  decided_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  CHECK (origin IN ('new', 'reset', 'fork', 'rotation', 'taken_over', 'adopted', 'rebuilt')), origin_session TEXT, origin_message TEXT, context_tokens INTEGER, context_window INTEGER, summary TEXT, dormant INTEGER NOT NULL DEFAULT 0, transcript_missing_since INTEGER, model TEXT, cost_usd REAL NOT NULL DEFAULT 0, account TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE tool_starts (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  name TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL, ended_at INTEGER, is_error INTEGER, input_short TEXT NOT NULL DEFAULT '', within TEXT,
  PRIMARY KEY (turn, tool_use_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE trigger_seen (
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  turn TEXT NOT NULL,
  began INTEGER NOT NULL,
  PRIMARY KEY (name, hash, first_seen)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn_traces (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  traceparent TEXT NOT NULL
, noted_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

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
, budget TEXT, ending TEXT, first_at INTEGER, background TEXT, response_schema TEXT, value TEXT, attachments TEXT, priority INTEGER NOT NULL DEFAULT 0, shared_budget TEXT, callback TEXT, metadata TEXT) STRICT;

CREATE TABLE value_refusals (
  turn TEXT NOT NULL REFERENCES turns (id),
  try INTEGER NOT NULL,
  errors TEXT NOT NULL,
  PRIMARY KEY (turn, try)
) STRICT, WITHOUT ROWID;

CREATE TABLE warm_starts (
  id INTEGER PRIMARY KEY,
  -- When the process could take a message.
  at INTEGER NOT NULL,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  -- Its ask of from_team was the reason.
  asker TEXT NOT NULL,
  -- The first message that the process got; NULL: none so far.
  turn TEXT,
  used_at INTEGER,
  -- Milliseconds that this message did not wait for a start.
  saved_ms INTEGER
) STRICT;

CREATE TABLE watched_answers (
  turn TEXT PRIMARY KEY,
  -- The open session that asked; null: a program or an agent.
  console TEXT,
  noted_at INTEGER NOT NULL,
  told_at INTEGER,
  pushed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_files_changed ON answer_files (turn) WHERE changed_at IS NOT NULL;

CREATE INDEX answer_states_noted ON answer_states (noted_at);

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

CREATE INDEX callback_deliveries_due ON callback_deliveries (callback, next_at);

CREATE TRIGGER channel_files_end AFTER UPDATE OF state ON channel_posts
WHEN new.state IN ('posted', 'in_doubt', 'failed')
BEGIN
  DELETE FROM channel_files WHERE post = new.id;
END;

CREATE INDEX channel_messages_by_message ON channel_messages (source, message_id);

CREATE INDEX channel_messages_open ON channel_messages (sender) WHERE state = 'asked';

CREATE INDEX channel_messages_turn ON channel_messages (turn) WHERE turn IS NOT NULL;

CREATE INDEX channel_posts_open ON channel_posts (source, chat, place, piece)
  WHERE state IN ('waiting', 'sending', 'reserved');

CREATE INDEX channel_posts_permission ON channel_posts (permission) WHERE permission IS NOT NULL;

CREATE UNIQUE INDEX channel_posts_token ON channel_posts (token) WHERE token IS NOT NULL;

CREATE INDEX cluster_asks_open ON cluster_asks (turn) WHERE answered = 0;

CREATE INDEX compactions_of_session ON compactions (session, at);

CREATE VIEW deliveries AS
  SELECT 0 AS sequence, id AS uuid, id AS turn, 'first' AS why, dispatched_at AS committed_at
    FROM turns WHERE dispatched_at IS NOT NULL
  UNION ALL
  SELECT sequence, uuid, turn, 'continue', committed_at FROM later_deliveries;

CREATE INDEX file_collisions_other ON file_collisions (other_turn);

CREATE INDEX file_collisions_turn ON file_collisions (turn);

CREATE INDEX inbox_by_session ON inbox (session);

CREATE INDEX inbox_by_state ON inbox (state, since);

CREATE INDEX inbox_due ON inbox (until) WHERE state = 'later';

CREATE INDEX inbox_pinned ON inbox (since) WHERE pinned = 1;

CREATE INDEX kept_answers_by_key ON kept_answers (key);

CREATE INDEX kept_answers_by_time ON kept_answers (noted_at);

CREATE INDEX kept_processes_turn ON kept_processes (turn);

CREATE INDEX late_answers_unread ON late_answers (console) WHERE read_at IS NULL;

CREATE INDEX later_deliveries_of_turn ON later_deliveries (turn);

CREATE INDEX notices_of_pair ON notices (to_team, from_team, thread, turn);

CREATE INDEX notices_of_turn ON notices (turn) WHERE turn IS NOT NULL;

CREATE UNIQUE INDEX one_dormant_session ON team_sessions (from_team, to_team, thread) WHERE dormant = 1;

CREATE UNIQUE INDEX one_live_session ON team_sessions (from_team, to_team, thread) WHERE status <> 'archived';

CREATE INDEX overtaken_turns_overtaken ON overtaken_turns (overtaken);

CREATE INDEX overtaken_turns_turn ON overtaken_turns (turn);

CREATE INDEX permission_grants_of_pair ON permission_grants (from_team, to_team);

CREATE INDEX permissions_of_session ON permissions (session);

CREATE INDEX permissions_of_turn ON permissions (turn) WHERE turn IS NOT NULL;

CREATE INDEX permissions_pending ON permissions (asked_at) WHERE state = 'pending';

CREATE INDEX report_tools_of_turn ON report_tools (turn);

CREATE INDEX reports_unread ON reports (turn) WHERE read_at IS NULL;

CREATE INDEX schedules_next ON schedules (next_at) WHERE next_at IS NOT NULL;

CREATE INDEX sessions_by_use ON team_sessions (last_used_at);

CREATE INDEX sessions_of_pair ON team_sessions (from_team, to_team, thread);

CREATE INDEX sessions_of_team ON team_sessions (to_team, last_used_at) WHERE status <> 'archived';

CREATE INDEX steers_turn ON steers (turn, joined_at);

CREATE INDEX trigger_seen_began ON trigger_seen (name, first_seen) WHERE began = 1;

CREATE INDEX trigger_seen_by_time ON trigger_seen (first_seen);

CREATE INDEX turn_traces_by_time ON turn_traces (noted_at);

CREATE INDEX turns_attachments ON turns (session) WHERE attachments IS NOT NULL;

CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE INDEX turns_failed ON turns (session, sequence) WHERE outcome IN ('failed', 'timed_out', 'in_doubt');

CREATE INDEX turns_of_parent ON turns (parent_turn) WHERE parent_turn IS NOT NULL;

CREATE INDEX turns_of_session ON turns (session, sequence);

CREATE INDEX turns_shared_budget ON turns (shared_budget) WHERE shared_budget IS NOT NULL;

CREATE INDEX turns_unsettled ON turns (sequence) WHERE state <> 'settled';

CREATE INDEX warm_starts_turn ON warm_starts (turn);

CREATE INDEX watched_answers_noted ON watched_answers (noted_at);

PRAGMA user_version = 50;
