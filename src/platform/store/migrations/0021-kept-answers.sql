-- Answers that may be given again to the same question, because it was asked for.
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
CREATE INDEX kept_answers_by_key ON kept_answers (key);
