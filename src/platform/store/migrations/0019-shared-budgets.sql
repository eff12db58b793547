-- Budgets of calls that send several messages: all of these turns, and what they cause, use one budget together.
CREATE TABLE shared_budgets (
  id TEXT PRIMARY KEY,
  budget TEXT NOT NULL,
  accepted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE turns ADD COLUMN shared_budget TEXT;
CREATE INDEX turns_shared_budget ON turns (shared_budget) WHERE shared_budget IS NOT NULL;
