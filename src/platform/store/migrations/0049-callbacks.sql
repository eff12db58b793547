-- The callback of config.yaml that is told what becomes of a turn, and what its program wants to have back (JSON).
ALTER TABLE turns ADD COLUMN callback TEXT;
ALTER TABLE turns ADD COLUMN metadata TEXT;
-- How far each callback has come: the number of the last row of the journal that is sent, is in callback_deliveries, or is
-- not for it. `off_at`: when the endpoint said that it takes no more (410); null: it is on. Milliseconds since the epoch.
CREATE TABLE callback_cursors (
  callback TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  off_at INTEGER
) STRICT, WITHOUT ROWID;
-- Rows of the journal that were posted and not taken. `next_at`: when they are posted again; null: never.
CREATE TABLE callback_deliveries (
  callback TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  turn TEXT NOT NULL,
  question TEXT,
  tries INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  next_at INTEGER,
  problem TEXT NOT NULL,
  PRIMARY KEY (callback, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX callback_deliveries_due ON callback_deliveries (callback, next_at);
