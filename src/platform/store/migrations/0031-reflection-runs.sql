-- Weekly reflections: when, how many messages were read, how many suggestions were open.
CREATE TABLE reflection_runs (
  at INTEGER PRIMARY KEY,
  asks INTEGER NOT NULL,
  suggestions INTEGER NOT NULL
) STRICT;
