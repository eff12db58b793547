-- Turns whose asker left before the answer. `console` is the session that asked, as its bridge names it.
CREATE TABLE late_answers (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  console TEXT NOT NULL,
  owed_at INTEGER NOT NULL,
  -- When it was handed to the inbox of that session, which acknowledges nothing.
  pushed_at INTEGER,
  -- When the result of another call said that it waits.
  announced_at INTEGER,
  -- When that session fetched it, or quoted its turn.
  read_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX late_answers_unread ON late_answers (console) WHERE read_at IS NULL;
