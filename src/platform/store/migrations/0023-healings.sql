-- Faults that Iris found, what was done about them, and when they were proved to be healed.
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
