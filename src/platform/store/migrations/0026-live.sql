-- Messages for a person's open session. `let_in_at`: the words may be shown there. `noticed_at`: a session was told that a
-- message waits; `pushed_at`: `console`, a session as its bridge names it, was given the words. Each happens once.
CREATE TABLE live_asks (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  console TEXT,
  let_in_at INTEGER,
  noticed_at INTEGER,
  pushed_at INTEGER,
  answer TEXT
) STRICT, WITHOUT ROWID;
