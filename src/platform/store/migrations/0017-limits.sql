-- What is known of an account's limits. `account` is a hash: its login may be a secret.
CREATE TABLE account_limits (
  account TEXT PRIMARY KEY,
  -- Which limit it is over, and until when, JSON; NULL: none.
  limited TEXT,
  -- The windows that the API reported last, JSON.
  windows TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- When a message was first answered with its login; NULL: never.
  worked_at INTEGER
) STRICT, WITHOUT ROWID;
-- Values of a typed answer that were refused, JSON, in order: they count over a restart.
CREATE TABLE value_refusals (
  turn TEXT NOT NULL REFERENCES turns (id),
  try INTEGER NOT NULL,
  errors TEXT NOT NULL,
  PRIMARY KEY (turn, try)
) STRICT, WITHOUT ROWID;
