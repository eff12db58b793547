-- The tool use of the subagent that used it; NULL: the turn's own agent.
ALTER TABLE tool_starts ADD COLUMN within TEXT;
-- Commands that still ran in the background as the turn ended, JSON: [{"command", "since"}]; NULL: none.
ALTER TABLE turns ADD COLUMN background TEXT;

-- Agents, workflows and watches that may go on after the result of their tool. As long as one is here, no result on disk
-- is the turn's answer. Deleted with what the tool brought back, if it was all, else with the turn's end.
CREATE TABLE open_agents (
  turn TEXT NOT NULL REFERENCES turns (id),
  tool_use_id TEXT NOT NULL,
  delivery TEXT NOT NULL,
  -- The telling part of its input, short and without secrets.
  description TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (turn, tool_use_id)
) STRICT, WITHOUT ROWID;
