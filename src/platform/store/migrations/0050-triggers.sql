-- Events of triggers that became messages: the hash of what makes an event the same, and the turn of its message.
-- `began`: the message began a conversation. Milliseconds since the epoch.
CREATE TABLE trigger_seen (
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  turn TEXT NOT NULL,
  began INTEGER NOT NULL,
  PRIMARY KEY (name, hash, first_seen)
) STRICT, WITHOUT ROWID;
CREATE INDEX trigger_seen_by_time ON trigger_seen (first_seen);
CREATE INDEX trigger_seen_began ON trigger_seen (name, first_seen) WHERE began = 1;
