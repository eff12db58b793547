-- What a conversation has cost, US dollars: a list of a thousand of them must not read all their turns.
ALTER TABLE team_sessions ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
UPDATE team_sessions SET cost_usd = COALESCE(
  (SELECT SUM(usage ->> 'costUsd') FROM turns WHERE session = team_sessions.id AND usage IS NOT NULL), 0);
