-- Cancels for other hosts that those hosts have not confirmed. `detail`: why, in words.
CREATE TABLE cluster_cancels (
  turn TEXT NOT NULL,
  host TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (turn, host)
) STRICT, WITHOUT ROWID;
-- Conversations that went from one host to another. `kind`: this host took it, lost it, or sends its own message elsewhere.
CREATE TABLE cluster_moves (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('taken', 'lost', 'sent')),
  from_team TEXT NOT NULL,
  to_team TEXT NOT NULL,
  thread TEXT NOT NULL,
  former_host TEXT NOT NULL,
  host TEXT NOT NULL
) STRICT;
