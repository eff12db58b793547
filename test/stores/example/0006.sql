-- What the conversation cost besides its turns: a compaction.
UPDATE team_sessions SET cost_usd = cost_usd + 0.25 WHERE id = 1;
