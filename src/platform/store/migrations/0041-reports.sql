-- What Claude Code said by itself after the end of a turn, mostly because a command that the turn had started in the background ended.
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
CREATE INDEX reports_unread ON reports (turn) WHERE read_at IS NULL;
-- The tools that Claude Code started in such turns of its own. Recovery does not count them: they answer no message.
CREATE TABLE report_tools (
  tool_use_id TEXT PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  name TEXT NOT NULL,
  input_short TEXT NOT NULL,
  started_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX report_tools_of_turn ON report_tools (turn);
