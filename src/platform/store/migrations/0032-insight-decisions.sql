-- Processes that were started before anybody asked for them.
CREATE TABLE warm_starts (
  id INTEGER PRIMARY KEY,
  -- When the process could take a message.
  at INTEGER NOT NULL,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  -- Its ask of from_team was the reason.
  asker TEXT NOT NULL,
  -- The first message that the process got; NULL: none so far.
  turn TEXT,
  used_at INTEGER,
  -- Milliseconds that this message did not wait for a start.
  saved_ms INTEGER
) STRICT;
CREATE INDEX warm_starts_turn ON warm_starts (turn);
-- Two messages at work that used one file, of which one was about to change it.
CREATE TABLE file_collisions (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  turn TEXT NOT NULL,
  other_turn TEXT NOT NULL,
  path TEXT NOT NULL
) STRICT;
CREATE INDEX file_collisions_turn ON file_collisions (turn);
CREATE INDEX file_collisions_other ON file_collisions (other_turn);
