-- Idle processes that stayed although they were used longest ago, because another was expected later.
CREATE TABLE kept_processes (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  -- The process that was ended instead.
  ended_from TEXT NOT NULL,
  ended_to TEXT NOT NULL,
  -- The first message that the process got afterwards; NULL: none so far.
  turn TEXT,
  used_at INTEGER,
  -- Milliseconds that this message did not wait for a start.
  saved_ms INTEGER
) STRICT;
CREATE INDEX kept_processes_turn ON kept_processes (turn);
-- Messages that got their place before one that had waited longer.
CREATE TABLE overtaken_turns (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  turn TEXT NOT NULL,
  overtaken TEXT NOT NULL
) STRICT;
CREATE INDEX overtaken_turns_turn ON overtaken_turns (turn);
CREATE INDEX overtaken_turns_overtaken ON overtaken_turns (overtaken);
