-- How a conversation came about: `new`, or out of another one, whose Claude session id is `origin_session`.
ALTER TABLE team_sessions ADD COLUMN origin TEXT NOT NULL DEFAULT 'new'
  CHECK (origin IN ('new', 'reset', 'fork', 'rotation', 'taken_over', 'adopted', 'rebuilt'));
ALTER TABLE team_sessions ADD COLUMN origin_session TEXT;
-- For a fork: the message of the other conversation after which it goes its own way; NULL: all of it.
ALTER TABLE team_sessions ADD COLUMN origin_message TEXT;
-- The share of the model's window that the conversation takes, as the CLI said last.
ALTER TABLE team_sessions ADD COLUMN context_tokens INTEGER;
ALTER TABLE team_sessions ADD COLUMN context_window INTEGER;
-- What a conversation was about: the one that came out of it by rotation begins with it.
ALTER TABLE team_sessions ADD COLUMN summary TEXT;
-- 1: archived only because nobody used it for long. The pair's next message takes it back.
ALTER TABLE team_sessions ADD COLUMN dormant INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX one_dormant_session ON team_sessions (from_team, to_team, thread) WHERE dormant = 1;
-- Since when Claude Code's transcript has been missing although it answered in it; NULL while it is there.
ALTER TABLE team_sessions ADD COLUMN transcript_missing_since INTEGER;
-- What an agent's conversation was asked to run with; NULL: the agent's own.
ALTER TABLE team_sessions ADD COLUMN model TEXT;
CREATE INDEX sessions_of_team ON team_sessions (to_team, last_used_at) WHERE status <> 'archived';

-- The sessions whose process_state may be another than 'stopped', so that a start need not look at all of them.
CREATE TABLE processes (
  session INTEGER PRIMARY KEY REFERENCES team_sessions (id)
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
CREATE INDEX compactions_of_session ON compactions (session, at);

-- Word left for a team without waking it. It goes with the first turn of its pair that is delivered after it.
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
CREATE INDEX notices_of_pair ON notices (to_team, from_team, thread, turn);
CREATE INDEX notices_of_turn ON notices (turn) WHERE turn IS NOT NULL;

-- All conversations of a pair, archived ones too, and all in the order of their use.
CREATE INDEX sessions_of_pair ON team_sessions (from_team, to_team, thread);
CREATE INDEX sessions_by_use ON team_sessions (last_used_at);
CREATE INDEX turns_of_session ON turns (session, sequence);
