-- When it was cancelled, milliseconds since the epoch: a cancel is not repeated for ever.
ALTER TABLE cluster_cancels ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
UPDATE cluster_cancels SET at = CAST(unixepoch() AS INTEGER) * 1000;
