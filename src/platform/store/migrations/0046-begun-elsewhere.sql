-- What an asker knows of a turn that hosts with the same team may answer: the host that took it last, where the log of the
-- conversation has what was last done of it (both null: not known), and whether a line of it was heard. `waits_since`: since
-- when nobody but that host may go on with it, milliseconds since the epoch. The row goes when the turn ends.
CREATE TABLE cluster_begun (
  sequence INTEGER PRIMARY KEY,
  turn TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  log TEXT,
  record INTEGER,
  heard INTEGER NOT NULL DEFAULT 0,
  waits_since INTEGER
) STRICT;
-- The last record of each log that this host leads: its number and SHA-256, hex.
CREATE TABLE cluster_logs (
  team TEXT NOT NULL,
  conversation TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (team, conversation)
) STRICT, WITHOUT ROWID;
