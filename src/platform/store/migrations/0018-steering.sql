-- Which of the waiting messages goes first: 1 high, 0 normal, -1 low.
ALTER TABLE turns ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
-- Messages that joined a running turn instead of waiting for its end.
CREATE TABLE steers (
  uuid TEXT PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  message TEXT NOT NULL,
  idempotency_key TEXT UNIQUE,
  joined_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX steers_turn ON steers (turn, joined_at);
