-- What an answer relies on: the files that its turn used, as they were when it was given.
CREATE TABLE answer_states (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  -- The commit that was checked out; NULL: none was.
  head TEXT,
  noted_at INTEGER NOT NULL,
  -- When its asker got to know that a file has changed since.
  reported_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_states_noted ON answer_states (noted_at);
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
CREATE INDEX answer_files_changed ON answer_files (turn) WHERE changed_at IS NOT NULL;
