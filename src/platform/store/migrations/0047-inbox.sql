-- What came into the owner's inbox, and what the owner did about it. `subject`: "answer:<turn>", "expired:<permission>",
-- "failed:<turn>", "question:<permission>", "broken:<session id>", "open:<session id>", or "conversation:<session id>" for a
-- pin. What nobody has touched has a row only if nothing else in the store says that it is there: answers and what ran out.
-- `since`: when it came into its state; `until`: when what was put off comes back. Milliseconds since the epoch.
CREATE TABLE inbox (
  subject TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES team_sessions (id),
  state TEXT NOT NULL CHECK (state IN ('new', 'opened', 'done', 'later')),
  since INTEGER NOT NULL,
  until INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_state ON inbox (state, since);
CREATE INDEX inbox_by_session ON inbox (session);
CREATE INDEX inbox_due ON inbox (until) WHERE state = 'later';
CREATE INDEX inbox_pinned ON inbox (since) WHERE pinned = 1;
