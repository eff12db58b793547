-- What Iris suggested and a person accepted or refused: neither comes back.
CREATE TABLE suggestions (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('claude-md', 'rule')),
  -- The question, or the tool.
  subject TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('applied', 'refused')),
  decided_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
