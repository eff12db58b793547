-- A turn that tries a failed one again; each failed one has at most one. `failed` is no reference: a damaged store may have
-- lost it.
CREATE TABLE retries (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  failed TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
-- A failure that a person has put aside: it is listed as one no more.
CREATE TABLE dismissed_failures (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  dismissed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The conversations whose last turn failed are found without reading the others.
CREATE INDEX turns_failed ON turns (session, sequence) WHERE outcome IN ('failed', 'timed_out', 'in_doubt');
