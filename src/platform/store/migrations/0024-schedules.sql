-- Messages that are sent at a time, once or again and again. A row that has had its last time is deleted.
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
CREATE INDEX schedules_next ON schedules (next_at) WHERE next_at IS NOT NULL;
