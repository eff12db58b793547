-- Answers whose asker wants to hear at once when a file changes that they relied on.
CREATE TABLE watched_answers (
  turn TEXT PRIMARY KEY,
  -- The open session that asked; null: a program or an agent.
  console TEXT,
  noted_at INTEGER NOT NULL,
  told_at INTEGER,
  pushed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_answers_noted ON watched_answers (noted_at);
