-- Turns that another model answered, wholly or in part, than the one that the conversation has.
CREATE TABLE model_changes (
  turn TEXT PRIMARY KEY REFERENCES turns (id),
  -- The model that answered, and the one that the conversation has.
  model TEXT NOT NULL,
  configured TEXT NOT NULL,
  -- What Claude Code says about the change; NULL: nothing.
  why TEXT
) WITHOUT ROWID;
