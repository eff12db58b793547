-- What became of turns and questions, in the order of the commits. A row is written in the transaction of an end, which it
-- must never refuse: so no column has a constraint. `at`: milliseconds since the epoch.
CREATE TABLE journal (
  sequence INTEGER PRIMARY KEY,
  at INTEGER,
  type TEXT,
  turn TEXT,
  question TEXT
);
-- One row for each start of a program that writes the journal. `first`: the number of its first row.
CREATE TABLE journal_epochs (
  sequence INTEGER PRIMARY KEY,
  id TEXT,
  first INTEGER
);
