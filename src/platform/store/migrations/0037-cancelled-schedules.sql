-- Scheduled messages that were cancelled: a call with the same key schedules them no more.
CREATE TABLE cancelled_schedules (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
