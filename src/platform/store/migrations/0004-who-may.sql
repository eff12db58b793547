-- Questions whether a tool may run, each bound to one process start, tool use and input. Times are milliseconds since
-- the epoch.
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
CREATE INDEX permissions_pending ON permissions (asked_at) WHERE state = 'pending';
CREATE INDEX permissions_of_session ON permissions (session);

-- Answers that hold on: for one session, or for a pair in all its threads and later sessions.
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
CREATE INDEX permission_grants_of_pair ON permission_grants (from_team, to_team);

-- Append-only, each entry bound to the one before it.
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
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- JSON: what a turn with everything it causes may use up; null where only the budgets above it hold.
ALTER TABLE turns ADD COLUMN budget TEXT;
-- JSON, reason and detail: it is being ended with the tree it belongs to, and is not taken up again.
ALTER TABLE turns ADD COLUMN ending TEXT;
