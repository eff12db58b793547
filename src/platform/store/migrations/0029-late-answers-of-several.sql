-- An answer may come late for several sessions: a message of another one can join the turn.
CREATE TABLE late_answers_of_each (
  turn TEXT NOT NULL REFERENCES turns (id),
  -- The session that asked, as its bridge names it.
  console TEXT NOT NULL,
  owed_at INTEGER NOT NULL,
  -- When it was handed to the inbox of that session, which acknowledges nothing.
  pushed_at INTEGER,
  -- When the result of another call said that it waits.
  announced_at INTEGER,
  -- When that session fetched it, or quoted its turn.
  read_at INTEGER,
  PRIMARY KEY (turn, console)
) STRICT, WITHOUT ROWID;
INSERT INTO late_answers_of_each SELECT turn, console, owed_at, pushed_at, announced_at, read_at FROM late_answers;
DROP TABLE late_answers;
ALTER TABLE late_answers_of_each RENAME TO late_answers;
CREATE INDEX late_answers_unread ON late_answers (console) WHERE read_at IS NULL;
